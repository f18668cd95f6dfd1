"""A game among people, without network, database or web framework.

Modules in dependency order: `errors`, `log` (events and seat holders as they are stored), `clocks`, `shapes` (the JSON that goes
out and comes in), `boards`, `table` (a game as the replay of its events), `commands` and `offers` (what may happen next),
`people` (who asks), `seats` (setting up a table, sitting down), `views`, `messages` (of a live connection), `recording`, then `positions`,
`records`, `thinking` (questions to the engine) and `meta`.
It depends on the library, the engine and msgspec only, so that it runs on a server and in a browser alike.
"""
