"""A game among people, without network, database or web framework.

Modules in dependency order: `errors`, `log` (events and seat holders as they are stored), `clocks`, `shapes` (the types of the
JSON), `boards`, `table` (a game as the replay of its events), `commands` and `offers` (which events may follow),
`people` (callers), `seats` (setting up a table, sitting down), `views`, `messages` (of a live connection), `recording`, then `positions`,
`records`, `thinking` (requests to the engine) and `meta`.
It depends only on the library, the engine and msgspec, so that it runs on a server and in a browser.
"""
