"""Work outside the event loop: computer seats, analysis, pictures, notices, the index of finished games."""
