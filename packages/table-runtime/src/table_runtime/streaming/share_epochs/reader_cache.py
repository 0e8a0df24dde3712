"""Reads splits in a worker. Readers, and so their connections, are cached between epochs."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress

import pyarrow as pa

from table_common.connector import SourceReader, SourceSplit
from table_common.frozen_dataclass import dataclass
from table_runtime.scans.scan_offsets import ScanOffsets

_MOST_READERS = 16
_MOST_SECONDS = 60.0
"""After this time an unused reader is closed: its job may have ended. Spark ends idle workers after the same time."""
_kept: dict[Hashable, tuple[SourceReader, float]] = {}
"""The readers of this process, and when each was last used, in the order of last use."""


@contextmanager
def kept_reader(key: Hashable, scan: ScanOffsets) -> Iterator[SourceReader]:
    """Gives a reader of a source: the one that this process has kept for the key, or a new one. It is kept again, unless its use fails."""
    _close_unused(time.monotonic())
    kept = _kept.pop(key, None)
    reader = scan.with_table_in_errors(scan.offsets.create_reader) if kept is None else kept[0]
    try:
        yield reader
    except BaseException:
        with suppress(Exception):  # the first error counts
            reader.close()
        raise
    _kept[key] = reader, time.monotonic()


def _close_unused(now: float) -> None:
    unused = [key for key, (_, used) in _kept.items() if now - used > _MOST_SECONDS]
    for key in unused or list(_kept)[: max(0, len(_kept) - _MOST_READERS + 1)]:
        with suppress(Exception):  # nobody waits for its end
            _kept.pop(key)[0].close()


class SplitRows:
    """The rows of a split. After the last one ``ignored`` is how many messages and values could not be read and were left out."""

    def __init__(self, batches: Iterator[pa.RecordBatch] = iter(())) -> None:
        self.ignored = 0
        self._batches = batches

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        yield from self._batches


@dataclass(frozen=True, slots=True)
class ReadSplits:
    """Reads splits of a source with offsets, one after the other; ``key`` says whose source it is: the run of the job and the number of the source."""

    scan: ScanOffsets
    splits: Sequence[SourceSplit]
    key: Hashable

    def __call__(self) -> SplitRows:
        """Returns the rows."""
        rows = SplitRows()
        rows._batches = self._read(rows)
        return rows

    def _read(self, rows: SplitRows) -> Iterator[pa.RecordBatch]:
        with kept_reader(self.key, self.scan) as reader:
            before = reader.ignored
            for split in self.splits:
                yield from self.scan.read_split(reader, split)
            rows.ignored = reader.ignored - before
