"""The web application around `terrarium.play`.

`settings`, then `database` (the event log), `live` (games in progress and their watchers), `accounts`, `jobs` (computer
seats, analysis, pictures), `operation` (logs, metrics), `services` (all of these, put together), `http` (what surrounds every
request), `api` (the handlers), `app` and `run`.
"""
