"""Rewrites of the embedded engine's own, after those that both engines share."""
