"""Calls over the rows before each row, in the order of time: one file per kind of call."""
