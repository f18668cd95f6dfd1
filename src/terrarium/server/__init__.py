"""The web application: live games that lose nothing and let nobody in.

Modules in dependency order: `settings`, `errors`, `schema`, `store` (the event log), `clocks`, `table` (a game as
the replay of its events), `commands` and `offers` (what may happen next), `people` (who asks), `tables` (every live
game of this process), `views`, `live`, `bots`, `studio` (pictures) and `vacation`, then `api` and `app`.
"""
