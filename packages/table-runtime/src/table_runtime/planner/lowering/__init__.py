"""Lowers logical nodes to physical operators: one file per operation, named like it and imported at its first use."""

from table_runtime.planner.lowering.dispatch import UNSUPPORTED, lower
from table_runtime.planner.lowering.tree import lower_all

__all__ = ["UNSUPPORTED", "lower", "lower_all"]
