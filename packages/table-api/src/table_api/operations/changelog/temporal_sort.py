"""Sorting by an ascending time attribute."""

from __future__ import annotations

from table_api.operations.query.sort import SortQueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import is_proctime


@dataclass(frozen=True, slots=True)
class TemporalSortQueryOperation(SortQueryOperation):
    """A sort without limit whose first order is an ascending time attribute: rows are emitted when the watermark reaches their time."""

    @property
    def time(self) -> FieldReferenceExpression:
        """The time attribute."""
        time = self.orders[0].expression
        assert isinstance(time, FieldReferenceExpression)
        return time

    @property
    def is_processing_time(self) -> bool:
        """Whether rows are taken in the order in which they come."""
        return is_proctime(self.time.output_type)

    @property
    @override
    def summary_name(self) -> str:
        return "TemporalSort"
