"""Keeping one row of each key: the first or the last by processing time or event time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DeduplicateQueryOperation(QueryOperation):
    """Keeps the first row of each key, or the last one (``keep_last``): in the order of the input, or of ``rowtime``. Schema: the child's."""

    keys: tuple[FieldReferenceExpression, ...]
    keep_last: bool
    child: QueryOperation
    rowtime: FieldReferenceExpression | None = None

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "keep", "LastRow" if self.keep_last else "FirstRow"
        yield "key", [str(reference) for reference in self.keys]
        yield "order", "PROCTIME" if self.rowtime is None else "ROWTIME"
