"""Types and functions that all games share."""
