"""Logs, metrics and the OpenAPI description."""
