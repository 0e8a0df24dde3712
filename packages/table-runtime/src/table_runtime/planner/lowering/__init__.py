"""Lowers logical nodes to physical operators: one file per operation, named like it and imported at its first use."""

from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.lowering.tree import lower_all

__all__ = ["lower", "lower_all"]
