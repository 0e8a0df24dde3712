"""Aggregate functions over changelogs: state by slot, advanced by the rows of a batch."""
