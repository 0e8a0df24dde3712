"""Event time of the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WatermarkQueryOperation(QueryOperation):
    """Says how far event time is: after each row it is at least the value of ``expression``. Rows and schema are those of the child.

    ``rowtime`` is the column that holds the event time of a row; its type says so. Conditions on the rows stay above, because rows that
    they drop move event time too.
    """

    rowtime: FieldReferenceExpression
    expression: ResolvedExpression
    child: QueryOperation

    @property
    @override
    def summary_name(self) -> str:
        return "WatermarkAssigner"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "rowtime", self.rowtime
        yield "watermark", self.expression
