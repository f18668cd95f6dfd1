"""The layers around every request: connections, limits, origins, static files."""
