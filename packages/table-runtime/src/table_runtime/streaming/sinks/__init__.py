"""Files that are written epoch by epoch."""
