"""Operation of the server: logs, metrics, traces, acts of operators, retention, the OpenAPI description."""
