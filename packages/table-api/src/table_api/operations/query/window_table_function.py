"""Putting rows into windows of time: TUMBLE, HOP, CUMULATE and SESSION."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.windows import WindowAssigner
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import TIMESTAMPS, LogicalType, TimestampType, at_least_milliseconds

WINDOW_COLUMNS = ("window_start", "window_end", "window_time")
"""The columns that a window table function adds. The windows of GROUP BY have names that no column can have."""


@dataclass(frozen=True, slots=True)
class WindowTableFunctionQueryOperation(QueryOperation):
    """Yields each row of the child once for each window that it is in, with the window after the child's columns.

    The added columns are start and end (TIMESTAMP(3) NOT NULL, as clocks of the session's time zone show them) and the last millisecond
    of the window in the type of the time column, for a time attribute of precision 3 at least (NOT NULL). Rows whose ``time`` is NULL are
    dropped. ``partition_by`` is for windows that are not aligned: rows of other partitions do not matter to them, and NULL is a value like
    any other.
    """

    child: QueryOperation
    window: WindowAssigner
    time: FieldReferenceExpression
    partition_by: tuple[FieldReferenceExpression, ...] = ()
    names: tuple[str, str, str] = WINDOW_COLUMNS

    def __post_init__(self) -> None:
        assert not (self.partition_by and self.window.is_aligned)
        if not isinstance(self.time.output_type, TIMESTAMPS):
            where = f"{self.window.FUNCTION} over column '{self.time.name}'"
            raise ValidationException.wrong_type(where, expected="TIMESTAMP or TIMESTAMP_LTZ", got=self.time.output_type)

    @property
    def window_time_type(self) -> LogicalType:
        """The type of the third added column."""
        return at_least_milliseconds(self.time.output_type).not_null()

    @override
    def _make_schema(self) -> ResolvedSchema:
        bound = TimestampType(3, nullable=False)
        types = (bound, bound, self.window_time_type)
        columns = (PhysicalColumn(name, data_type) for name, data_type in zip(self.names, types, strict=True))
        return ResolvedSchema((*self.child.resolved_schema.columns, *columns))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        partition = f", partition keys=[{', '.join(key.name for key in self.partition_by)}]" if self.partition_by else ""
        yield "window", [f"{self.window.FUNCTION}(time_col=[{self.time.name}], {self.window}{partition})"]
        yield "select", list(self.names)
