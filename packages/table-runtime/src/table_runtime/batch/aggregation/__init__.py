"""Aggregation by key, and how keys and the states of aggregates are held."""
