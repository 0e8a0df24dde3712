"""Removing duplicate rows."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from table_api.operations.operation import QueryOperation
from table_common.catalog import ResolvedSchema

__all__ = ["DistinctQueryOperation"]


@dataclass(frozen=True, slots=True)
class DistinctQueryOperation(QueryOperation):
    """Keeps one of equal rows; NULLs are equal to each other. Schema: the child's."""

    child: QueryOperation

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        return self.child.resolved_schema
