"""Queries inside of queries made into joins: how a query loses its references to the row outside, and what becomes of its value."""
