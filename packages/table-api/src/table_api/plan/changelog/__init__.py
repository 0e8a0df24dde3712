"""Changelog analysis of a plan: upsert keys, kinds of changes, and the demands of each consumer."""
