"""Translates resolved expressions to Spark SQL."""
