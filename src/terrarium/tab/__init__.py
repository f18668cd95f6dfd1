"""The page's API answered inside a browser tab: local games, without a server.

Modules in dependency order: `meta` (what there is to play), `store` (what the browser keeps), `tables` (the games in memory),
`thinking` (the engine in slices), `crew` (other workers that think), `live` (who watches a game), `finished` (counts over finished
games), `routes` (every request the page
makes), `app` (what the Web Worker talks to).
It runs in a Web Worker on Pyodide, and in plain CPython for tests.
"""
