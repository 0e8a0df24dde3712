"""Resolved expressions as Spark SQL text."""
