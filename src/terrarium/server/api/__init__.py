"""The HTTP interface, by topic."""
