"""The web application around `terrarium.play`.

In dependency order: `settings`, `database` (the event log), `live` (games in progress and their watchers), `accounts`, `jobs` (computer
seats, analysis, pictures), `operation` (logs, metrics), `services` (all of these together), `http` (connections, limits,
static files), `api` (the handlers), `app` and `run`.
"""
