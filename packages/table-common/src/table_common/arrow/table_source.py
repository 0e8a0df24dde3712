"""A source for systems without push-down: pushed filters, projections and limits are applied to the batches in the task."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.filters import to_arrow_filter
from table_common.arrow.streams import import_batches
from table_common.connector import ArrowScanProvider, InputSplit, ScanTableSource, SupportsArrowArray
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsLimitPushDown, SupportsProjectionPushDown
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import RowType


@dataclass(frozen=True)
class RowSelection:
    """The pushed filters, projection and limit; initially everything is selected. Picklable.

    ``condition`` is an expression of ``pyarrow.compute`` over the physical columns, ``positions`` are those of the wanted columns, and ``limit``
    counts the rows that are enough.

    Example:
        >>> batch = pa.record_batch({"n": [1, 2], "twice": [2, 4]})
        >>> [rows.to_pylist() for rows in RowSelection(positions=(1,), limit=1).apply([batch])]
        [[{'twice': 2}]]
    """

    condition: Any = None
    positions: tuple[int, ...] | None = None
    limit: int | None = None

    def apply(self, batches: Iterable[SupportsArrowArray], giver: str = "The connector") -> Iterator[pa.RecordBatch]:
        """Yields the selected rows and columns of physical batches, and reads no more batches than needed; errors name ``giver``."""
        missing = self.limit
        for rows in import_batches(batches, giver):
            if self.condition is not None:
                rows = rows.filter(self.condition)
            if self.positions is not None:
                rows = rows.select(list(self.positions))
            if missing is not None:
                rows = rows.slice(0, missing)
                missing -= rows.num_rows
            if rows.num_rows:
                yield rows
            if missing == 0:
                return


@dataclass
class ArrowTableSource(ScanTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown):
    """Reads batches of all columns; define ``read``, and ``splits`` where several tasks can read. Instances must be picklable.

    ``selection`` has the filters that Arrow evaluates as SQL does, the columns and the limit; the planner applies other filters above the scan. For a
    system with its own filters, implement the abilities instead.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> class Numbers(ArrowTableSource):
        ...     def read(self, split):
        ...         yield pa.record_batch({"n": [1, 2], "twice": [2, 4]})
        >>> numbers = Numbers(parse_logical_type("ROW<n BIGINT, twice BIGINT> NOT NULL"))
        >>> numbers.apply_limit(1)
        >>> provider = numbers.get_scan_runtime_provider(ScanTableSource.ScanContext())
        >>> [batch.to_pylist() for split in provider.splits() for batch in provider.read(split)]
        [[{'n': 1, 'twice': 2}]]
    """

    row_type: RowType
    """The physical columns."""
    selection = RowSelection()
    """The pushed filters, projection and limit."""

    @property
    def produced_type(self) -> RowType:
        """The selected columns."""
        if self.selection.positions is None:
            return self.row_type
        fields = self.row_type.fields
        return RowType(tuple(fields[position] for position in self.selection.positions), nullable=False)

    def splits(self) -> Sequence[InputSplit]:
        """Returns the splits, at least one; each is read by one task."""
        return [None]

    @abstractmethod
    def read(self, split: InputSplit) -> Iterable[SupportsArrowArray]:
        """Returns batches of all physical columns; see ``from_python_rows``."""

    def selected(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        """Yields the selected rows of a split, as batches of ``produced_type``."""
        return self.selection.apply(self.read(split), f"{type(self).__name__}.read")

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        return _SelectedScan(self)

    @override
    def as_summary_string(self) -> str:
        taken = [] if self.selection.condition is None else [f"where {self.selection.condition}"]
        taken += [] if self.selection.limit is None else [f"limit {self.selection.limit}"]
        return " ".join((type(self).__name__, *taken))

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        condition, accepted, remaining = to_arrow_filter(filters, self.row_type)
        self.selection = replace(self.selection, condition=condition)
        return SupportsFilterPushDown.Result(tuple(accepted), tuple(remaining))

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.selection = replace(self.selection, positions=tuple(path[0] for path in projected_fields))

    @override
    def apply_limit(self, limit: int) -> None:
        self.selection = replace(self.selection, limit=limit)


@dataclass(frozen=True)
class _SelectedScan(ArrowScanProvider):
    source: ArrowTableSource

    @override
    def splits(self) -> Sequence[InputSplit]:
        return self.source.splits()

    @override
    def read(self, split: InputSplit) -> Iterator[SupportsArrowArray]:
        return self.source.selected(split)
