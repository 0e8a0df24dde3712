"""Graphs of operators, and their runs."""
