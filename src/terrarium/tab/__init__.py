"""The page's API answered inside a browser tab: local games, without a server.

Modules in dependency order: `meta` (games, options and limits), `store` (the browser's storage), `tables` (the games in memory),
`thinking` (the engine in slices), `crew` (other workers that run the engine), `live` (live connections), `finished` (statistics over
finished games), `studies` (studies in memory), `routing` (finds the function that answers a request), `routes`, `engine_routes` and
`study_routes` (those functions), `app` (the interface for the Web Worker).
It runs in a Web Worker on Pyodide, and in plain CPython for tests.
"""
