"""Reads rows from a Python callable or iterable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_filter
from table_common.connector import ArrowScanProvider, InputSplit, ScanTableSource
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsLimitPushDown, SupportsProjectionPushDown
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import RowType
from table_runtime.batches import make_batch
from table_runtime.connectors.python.given_rows import BATCH_ROWS, GivenRows
from table_runtime.connectors.python.user_code import UserCode

__all__ = ["PythonScan", "PythonTableSource"]


@dataclass
class PythonTableSource(ScanTableSource, SupportsProjectionPushDown, SupportsFilterPushDown, SupportsLimitPushDown):
    """Calls the user's code in each scan; push-downs are passed as arguments if its signature has them.

    Rows that are not ``bounded`` come at most once: a job that resumes goes on with what the user's code gives then.
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
        return f"python({', '.join((self.code.name, *self.notes, *(() if self.bounded else ('endless', 'at-most-once'))))})"

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
        from table_runtime.connectors.python.stream import PythonStream  # few tables are without an end

        return PythonStream(replace(scan, limit=None))  # LIMIT counts the rows of all ranges


@dataclass(frozen=True, eq=False)
class PythonScan(ArrowScanProvider):
    """A scan with one split, which calls the user's code."""

    code: UserCode
    row_type: RowType
    columns: tuple[int, ...]
    condition: Any
    limit: int | None
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded

    @property
    @override
    def carries_user_code(self) -> bool:
        return True

    def given_rows(self) -> GivenRows:
        """Returns what converts the rows of the user's code."""
        requested = self._requested
        return GivenRows(self.code, self.row_type, requested if "columns" in self.code.arguments else self.row_type, requested)

    def arguments(self) -> dict[str, Any]:
        """Returns the arguments that the user's code may take."""
        return {"columns": list(self._requested.field_names), "filters": self.condition, "limit": self.limit}

    @property
    def _requested(self) -> RowType:
        # Rows without columns cannot be counted, so one column is requested then and removed.
        return _selected(self.row_type, self.columns or (0,))

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        if self.limit == 0:
            return
        remaining = self.limit
        for batch in self.given_rows().batches(self.code.rows(self.arguments()), BATCH_ROWS if remaining is None else remaining):
            rows = batch if remaining is None else batch.slice(0, remaining)
            yield rows if self.columns else make_batch([], pa.schema([]), rows.num_rows)
            if remaining is not None:
                remaining -= rows.num_rows
                if remaining <= 0:
                    return


def _selected(row_type: RowType, columns: Sequence[int]) -> RowType:
    return RowType(tuple(row_type.fields[column] for column in columns), nullable=False)
