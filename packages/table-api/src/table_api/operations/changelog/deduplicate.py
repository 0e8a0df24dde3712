"""Keeping one row of each key: the first or the last by processing time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass

__all__ = ["DeduplicateQueryOperation"]


@dataclass(frozen=True, slots=True)
class DeduplicateQueryOperation(QueryOperation):
    """Keeps the first row of each key in the order of the input, or the last one (``keep_last``). Schema: the child's."""

    keys: tuple[FieldReferenceExpression, ...]
    keep_last: bool
    child: QueryOperation

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "keep", "LastRow" if self.keep_last else "FirstRow"
        yield "key", [str(reference) for reference in self.keys]
        yield "order", "PROCTIME"
