"""OVER windows in the order of a time attribute."""

from __future__ import annotations

from table_api.operations.query.window import WindowQueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import is_proctime


@dataclass(frozen=True, slots=True)
class OverAggregateQueryOperation(WindowQueryOperation):
    """An OVER window whose one order key is an ascending time attribute, and whose frames end with the current row.

    By event time, a row is emitted when the watermark reaches its time; by processing time, at once.
    """

    @property
    def time(self) -> FieldReferenceExpression:
        """The time attribute."""
        time = self.order_by[0].expression
        assert isinstance(time, FieldReferenceExpression)
        return time

    @property
    def is_processing_time(self) -> bool:
        """Whether rows are taken in the order in which they come."""
        return is_proctime(self.time.output_type)

    @property
    @override
    def summary_name(self) -> str:
        return "OverAggregate"
