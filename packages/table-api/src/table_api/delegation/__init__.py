"""The planner SPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.delegation.planner import (
        ExecutablePlan,
        ExplainDetail,
        JobClient,
        JobExecution,
        JobStatus,
        Planner,
        PlannerContext,
        PlannerFactory,
        ProgressListener,
    )
    from table_api.delegation.session import FoundTable, FoundView, FunctionLookup, Session, TableLookup

__all__ = [
    "ExecutablePlan",
    "ExplainDetail",
    "FoundTable",
    "FoundView",
    "FunctionLookup",
    "JobClient",
    "JobExecution",
    "JobStatus",
    "Planner",
    "PlannerContext",
    "PlannerFactory",
    "ProgressListener",
    "Session",
    "TableLookup",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.delegation.planner": (
            "ExecutablePlan",
            "ExplainDetail",
            "JobClient",
            "JobExecution",
            "JobStatus",
            "Planner",
            "PlannerContext",
            "PlannerFactory",
            "ProgressListener",
        ),
        "table_api.delegation.session": ("FoundTable", "FoundView", "FunctionLookup", "Session", "TableLookup"),
    },
)
