"""Reads rows from a Python callable or iterable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.annotation import override
from table_common.arrow import to_arrow_filter
from table_common.connector import ScanTableSource
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsLimitPushDown, SupportsProjectionPushDown
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import RowType
from table_runtime.connectors.python.scan import PythonScan
from table_runtime.connectors.python.user_code import UserCode


@dataclass
class PythonTableSource(ScanTableSource, SupportsProjectionPushDown, SupportsFilterPushDown, SupportsLimitPushDown):
    """Calls the user's code in each scan; push-downs are passed as arguments if its signature has them.

    Rows that are not ``bounded`` come at most once: a job that resumes continues with what the user's code gives then.
    """

    code: UserCode
    row_type: RowType
    columns: tuple[int, ...] | None = None
    condition: Any = None
    """A ``pyarrow.compute.Expression``, or None."""
    limit: int | None = None
    notes: tuple[str, ...] = field(default=())
    """The arguments passed to the callable, for summaries."""
    bounded: bool = True

    @override
    def as_summary_string(self) -> str:
        return f"python({', '.join((self.code.name, *self.notes, *(() if self.bounded else ('unbounded', 'at-most-once'))))})"

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.columns = tuple(path[0] for path in projected_fields)

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        if "filters" not in self.code.arguments:
            return SupportsFilterPushDown.Result((), tuple(filters))
        self.condition, accepted, _ = to_arrow_filter(filters, self.row_type)
        if accepted:
            self.notes = (*self.notes, f"filters={len(accepted)}")
        # The callable may ignore filters, so the engine evaluates all of them again.
        return SupportsFilterPushDown.Result(tuple(accepted), tuple(filters))

    @override
    def apply_limit(self, limit: int) -> None:
        self.limit = limit
        self.notes = (*self.notes, f"limit={limit}")

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        columns = self.columns if self.columns is not None else tuple(range(len(self.row_type.fields)))
        scan = PythonScan(self.code, self.row_type, columns, self.condition, self.limit, self.bounded)
        if self.bounded or context.is_bounded_required:
            return scan
        from table_runtime.connectors.python.stream import PythonStream  # few tables are unbounded

        return PythonStream(replace(scan, limit=None))  # LIMIT counts the rows of all ranges
