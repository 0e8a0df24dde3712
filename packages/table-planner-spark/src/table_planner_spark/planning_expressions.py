"""What is computed while a statement is planned, without Spark."""

from __future__ import annotations

from table_api.delegation import ExpressionServices
from table_runtime.kernel_expressions import KernelExpressions

__all__ = ["PlanningExpressions"]


class PlanningExpressions(KernelExpressions, ExpressionServices):
    """By the kernels of Arrow, in this process."""
