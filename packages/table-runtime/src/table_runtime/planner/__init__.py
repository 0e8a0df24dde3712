"""The embedded planner: from the logical plan to physical operators. The only part of the runtime that knows table-api."""

from table_runtime.planner.factory import ArrowPlannerFactory
from table_runtime.planner.planner import ArrowPlanner

__all__ = ["ArrowPlanner", "ArrowPlannerFactory"]
