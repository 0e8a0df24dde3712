"""A scan that ends, in splits that tasks in other processes read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.connector import ArrowScanProvider, InputSplit
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import make_batch
from table_runtime.files import FileSplits, Snapshots
from table_runtime.formats import numbered_changes
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.scans.scan_files import ScanFiles
from table_runtime.scans.scan_offsets import ScanOffsets


@dataclass(frozen=True, slots=True)
class ScanSplits:
    """The splits in the order of the rows, and what reads one; both can be pickled, unless the source cannot.

    ``paths`` are the local files that all processes must have. ``carries_user_code``: code of the program reads the rows.
    """

    splits: Sequence[InputSplit]
    reader: Any
    paths: Sequence[str] = ()
    carries_user_code: bool = False
    close: Callable[[], None] = lambda: None
    """Ends the use of the source, whose splits have been read."""


@dataclass(frozen=True, slots=True)
class _SplitsOfArrow:
    scan: ScanArrow

    def __call__(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        context = ExecutionContext(parallelism=1)
        try:
            yield from self.scan.read(split, context)
        finally:
            context.close()


@dataclass(frozen=True, slots=True)
class _SplitsOfFiles:
    provider: ArrowScanProvider
    schema: pa.Schema
    changes: bool

    def __call__(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        batches: Any = self.provider.read(split)
        if self.changes:
            yield from numbered_changes(batches, self.schema)
        else:
            yield from (make_batch(batch.columns, self.schema, batch.num_rows) for batch in batches)


def divide_scan(scan: Operator, parallelism: int, snapshots: Snapshots) -> ScanSplits | None:
    """Returns the splits of a scan, of which ``parallelism`` are read at a time; None if its rows are in this process, or it has no splits.

    Its files are pinned as long as ``snapshots`` is open.
    """
    if isinstance(scan, ScanFiles):
        provider = FileSplits(scan.provider, scan.table, parallelism)
        splits = provider.pinned_splits(snapshots)
        paths = [str(file.path) for split in splits for file in split.files]
        return ScanSplits(splits, _SplitsOfFiles(provider.without_filters(), scan.schema, scan.changes), paths)
    if not isinstance(scan, ScanArrow) or isinstance(scan, ScanOffsets) or scan.is_in_process or scan.inputs:
        return None
    return ScanSplits(scan.splits(), _SplitsOfArrow(scan), carries_user_code=scan.carries_user_code, close=scan.close)
