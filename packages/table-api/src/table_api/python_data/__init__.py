"""Data of this process as plan nodes: Python values, Arrow data, objects of user-defined types."""
