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

__all__ = [
    "ExecutablePlan",
    "ExplainDetail",
    "JobClient",
    "JobExecution",
    "JobStatus",
    "Planner",
    "PlannerContext",
    "PlannerFactory",
    "ProgressListener",
]
