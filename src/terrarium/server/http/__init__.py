"""What surrounds every request: limits, origins, static files."""
