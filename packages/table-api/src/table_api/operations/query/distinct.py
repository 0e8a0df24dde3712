"""Removing duplicate rows."""

from __future__ import annotations

from table_api.operations.operation import QueryOperation
from table_common.frozen_dataclass import dataclass

__all__ = ["DistinctQueryOperation"]


@dataclass(frozen=True, slots=True)
class DistinctQueryOperation(QueryOperation):
    """Keeps one of equal rows; NULLs are equal to each other. Schema: the child's."""

    child: QueryOperation
