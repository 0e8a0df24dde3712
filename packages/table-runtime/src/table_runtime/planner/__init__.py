"""The embedded planner: from the logical plan to physical operators. The only part of the runtime that knows table-api."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.planner.factory import ArrowPlannerFactory
    from table_runtime.planner.planner import ArrowPlanner

__all__ = ["ArrowPlanner", "ArrowPlannerFactory"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.planner.factory": ("ArrowPlannerFactory",),
        "table_runtime.planner.planner": ("ArrowPlanner",),
    },
)
