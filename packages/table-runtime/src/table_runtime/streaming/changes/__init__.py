"""Batches of changes: their rows in order, by slot and by group."""
