"""Monotonicity of a column over the updates of a row."""

from __future__ import annotations

from enum import Enum


class Monotonicity(Enum):
    """The order of the values of a column over the updates of one row.

    Source: Flink's ``org.apache.flink.table.planner.plan.metadata.FlinkRelMdModifiedMonotonicity``, for SQL.

    Example:
        >>> Monotonicity("INCREASING").name
        'INCREASING'
    """

    CONSTANT = "CONSTANT"
    INCREASING = "INCREASING"
    DECREASING = "DECREASING"
    NOT_MONOTONIC = "NOT_MONOTONIC"
