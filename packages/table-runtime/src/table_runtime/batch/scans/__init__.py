"""Scans of tables, and the runtime filters that reach them."""
