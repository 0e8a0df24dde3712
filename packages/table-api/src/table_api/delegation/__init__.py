"""The planner SPI."""

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
