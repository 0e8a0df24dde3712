"""Keyed state: slots for keys, and columns by slot."""

from table_runtime.streaming.state.state_table import StateTable

__all__ = ["StateTable"]
