"""Sorting, top-n and LIMIT."""
