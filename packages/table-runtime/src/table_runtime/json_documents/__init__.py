"""JSON documents of a column that have the same structure, and where their scalar values are."""
