"""A source of computed rows for streaming benchmarks: two splits, each batch made by numpy where it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.connector import (
    ChangelogMode,
    Offset,
    ReadLimit,
    ScanTableSource,
    SourceProvider,
    SourceReader,
    SourceSplit,
    SupportsArrowArray,
)
from table_common.frozen_dataclass import dataclass

__all__ = ["CountedRows", "CountedSource", "rows_of"]

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
_BATCH = 65_536


def rows_of(start: int, end: int, keys: int, filled: int) -> pa.RecordBatch:
    """Returns the rows with these numbers: the first ``filled`` have each key in turn, the others random ones."""
    number = np.arange(start, end, dtype=np.int64)
    mixed = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    key = np.where(number < filled, number % keys, (mixed % np.uint64(keys)).astype(np.int64))
    return pa.RecordBatch.from_arrays([pa.array(key), pa.array((number * 7919) % 1000)], schema=SCHEMA)


@dataclass(frozen=True)
class Range:
    """Rows of one of the two splits."""

    split_id: str
    start: int
    end: int


@dataclass(frozen=True)
class CountedRows(SourceProvider):
    """Gives ``filled`` rows a part at a time, then ``epochs`` times ``rows``, and then none, but does not end."""

    keys: int
    rows: int
    epochs: int
    filled: int = 0
    is_bounded = False

    def initial_offset(self) -> Offset:
        """Returns the number of rows before: none."""
        return 0

    def latest_offset(self, start: Any, limit: ReadLimit | None = None) -> Offset:
        """Returns the end of the next part."""
        if start < self.filled:
            return min(self.filled, start + 2_000_000)
        return min(self.filled + self.rows * self.epochs, start + self.rows)

    def plan(self, start: Any, end: Any) -> Sequence[SourceSplit]:
        """Returns the two halves of the range."""
        middle = (start + end) // 2
        return [Range("0", start, middle), Range("1", middle, end)] if start < end else []

    def create_reader(self) -> SourceReader:
        """Returns a reader."""
        return _Reader(self)


class _Reader(SourceReader):
    def __init__(self, source: CountedRows) -> None:
        self._source = source

    def read(self, split: Any) -> Iterator[SupportsArrowArray]:
        for start in range(split.start, split.end, _BATCH):
            yield rows_of(start, min(split.end, start + _BATCH), self._source.keys, self._source.filled)


@dataclass(frozen=True)
class CountedSource(ScanTableSource):
    """The table of counted rows."""

    rows: CountedRows

    def as_summary_string(self) -> str:
        """Returns the name of the source."""
        return "counted-rows"

    def get_changelog_mode(self) -> ChangelogMode:
        """Returns insertions only."""
        return ChangelogMode.insert_only()

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> SourceProvider:
        """Returns the provider."""
        return self.rows
