"""Work beside the event loop: computer seats, analysis and pictures."""
