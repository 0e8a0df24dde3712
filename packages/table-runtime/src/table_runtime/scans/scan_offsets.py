"""Scans a source with offsets, which a streaming job reads range by range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pyarrow as pa

from table_common.arrow import import_batches
from table_common.connector import ArrowScanProvider, SourceProvider, SourceReader, SourceSplit
from table_common.types import RowType
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.sources import as_arrow_scan


class ScanOffsets(ScanArrow):
    """As an operator it reads what the source has now, once. A streaming job calls the ``offsets`` itself and reads each split with ``read_split``."""

    def __init__(self, provider: SourceProvider, row_type: RowType, schema: pa.Schema, table: str, source: str, *, changes: bool) -> None:
        super().__init__(cast("ArrowScanProvider", as_arrow_scan(provider, row_type)), row_type, schema, table, source, changes=changes)
        self.offsets = provider
        self.is_bounded = provider.is_bounded

    def read_split(self, reader: SourceReader, split: SourceSplit) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a split in the schema of the scan; of changes the last column is the row kind."""
        name = f"{type(self.offsets).__name__}.read"
        batches = self.with_table_in_errors(lambda: import_batches(reader.read(split), f"Reading {self.table} failed: {name}"))
        while (batch := self.with_table_in_errors(lambda: next(batches, None))) is not None:
            yield self.conform(batch)
