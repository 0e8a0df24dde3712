"""The planner SPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.delegation.expression_services import ExpressionServices, NoExpressionServices
    from table_api.delegation.job import (
        ExecutablePlan,
        JobClient,
        JobExecution,
        JobOptions,
        ProgressListener,
        refuse_restoring,
    )
    from table_api.delegation.job_result import CompletableFuture, JobExecutionResult, JobID
    from table_api.delegation.metrics_listener import MetricsListener
    from table_api.delegation.planner import ExplainDetail, Planner, PlannerCapabilities, PlannerContext, PlannerFactory
    from table_api.delegation.session import FoundTable, FoundView, FunctionLookup, Session, TableLookup
    from table_api.delegation.stream_plan import StreamPlan
    from table_common.job_state import JobState, JobStatus

__all__ = [
    "CompletableFuture",
    "ExecutablePlan",
    "ExplainDetail",
    "ExpressionServices",
    "FoundTable",
    "FoundView",
    "FunctionLookup",
    "JobClient",
    "JobExecution",
    "JobExecutionResult",
    "JobID",
    "JobOptions",
    "JobState",
    "JobStatus",
    "MetricsListener",
    "NoExpressionServices",
    "Planner",
    "PlannerCapabilities",
    "PlannerContext",
    "PlannerFactory",
    "ProgressListener",
    "Session",
    "StreamPlan",
    "TableLookup",
    "refuse_restoring",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.delegation.expression_services": ("ExpressionServices", "NoExpressionServices"),
        "table_api.delegation.job": (
            "ExecutablePlan",
            "JobClient",
            "JobExecution",
            "JobOptions",
            "ProgressListener",
            "refuse_restoring",
        ),
        "table_api.delegation.job_result": ("CompletableFuture", "JobExecutionResult", "JobID"),
        "table_api.delegation.metrics_listener": ("MetricsListener",),
        "table_api.delegation.planner": ("ExplainDetail", "Planner", "PlannerCapabilities", "PlannerContext", "PlannerFactory"),
        "table_api.delegation.session": ("FoundTable", "FoundView", "FunctionLookup", "Session", "TableLookup"),
        "table_api.delegation.stream_plan": ("StreamPlan",),
        "table_common.job_state": ("JobState", "JobStatus"),
    },
)
