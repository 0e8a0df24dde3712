"""From logical nodes to physical operators, one file per node; a node's file has the name of the operation's and is loaded for its first node."""

from table_runtime.planner.lowering.dispatch import UNSUPPORTED, lower
from table_runtime.planner.lowering.tree import lower_all

__all__ = ["UNSUPPORTED", "lower", "lower_all"]
