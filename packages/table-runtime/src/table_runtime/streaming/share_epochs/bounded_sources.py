"""Sources without offsets whose rows end: in splits that workers read, or in this process, which sends the rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_splits import ScanSplits
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.share_epochs.epoch_source import EpochSource, Reads, RowSender
from table_runtime.streaming.share_epochs.reader_cache import SplitRows

_TASKS = 4
"""The maximum number of tasks per task that can run at the same time."""
_FIRST_SPLITS = 16
"""The number of splits in the first epoch, per task that can run at the same time: it is not known yet how many rows they have."""


@dataclass(frozen=True, slots=True)
class _ReadSplits:
    """Reads some splits, one after the other."""

    reader: bytes
    splits: bytes

    def __call__(self) -> SplitRows:
        return SplitRows(self._read())

    def _read(self) -> Iterator[pa.RecordBatch]:
        reader = pickle.loads(self.reader)
        for split in pickle.loads(self.splits):
            yield from reader(split)


class SourceSplits(EpochSource):
    """A scan in splits, which are read in their order: each is read once, several in a task. The position is the number of splits, and of rows, that were read."""

    def __init__(
        self,
        source: Source,
        scan: ScanSplits,
        dumps: Callable[[object], bytes],
        position: Mapping[str, Any],
        most_rows: int,
        parallelism: int,
        first_splits: int = _FIRST_SPLITS,
    ) -> None:
        """``dumps`` pickles the reader and the splits of the scan; ``first_splits`` is how many the first epoch reads, per task that can run at the same time.

        Raises:
            TableException: the position is one of other splits.
        """
        super().__init__(source, position, ())
        self._scan = scan
        self._dumps = dumps
        self._reader = dumps(scan.reader)
        self._most_rows = most_rows
        self._parallelism = parallelism
        self._first_splits = first_splits
        self._first: int = position.get("splits", 0)
        self._rows: int = position.get("rows", 0)
        self._next = self._first
        self._next_rows = self._rows
        count = position.get("of", len(scan.splits))
        if self._first and not self.has_ended and count != len(scan.splits):
            raise TableException(
                f"The source of {source.table} has {len(scan.splits)} splits now. When it was read in part, it had {count}.",
                hint="Restore what the source had; or start the job over, in another folder.",
            )

    @property
    @override
    def position(self) -> Mapping[str, Any]:
        if self.has_ended:
            return {"ended": True}
        return {"splits": self._next, "of": len(self._scan.splits), "rows": self._next_rows}

    @override
    def plan(self) -> Mapping[str, Reads]:
        self.ending = set()
        if self.has_ended:
            return {}
        left = self._scan.splits[self._first :]
        count = min(len(left), self._splits_of_epoch())
        self._next = self._first + count
        self.has_ended = count == len(left)
        tasks = min(count, _TASKS * self._parallelism)
        found: dict[str, Reads] = {}
        for task in range(tasks):
            start, end = count * task // tasks, count * (task + 1) // tasks
            found[str(self._first + start)] = _ReadSplits(self._reader, self._dumps(left[start:end]))
        self.ending = set(found)
        return found

    def _splits_of_epoch(self) -> int:
        if not self._first:
            return self._first_splits * self._parallelism
        return max(1, self._most_rows * self._first // max(1, self._rows))

    @override
    def read(self, rows: int) -> None:
        self._next_rows = self._rows + rows

    @override
    def taken(self) -> None:
        self._first, self._rows = self._next, self._next_rows

    @override
    def close(self) -> None:
        with suppress(Exception):  # the job has ended
            self._scan.close()


class SourceRows(EpochSource):
    """A scan whose rows are in this process. The position is the number of rows that were read."""

    def __init__(self, source: Source, sent: RowSender, position: Mapping[str, Any], most_rows: int) -> None:
        super().__init__(source, position, ())
        self._sent = sent
        self._most_rows = most_rows
        self._rows: int = position.get("rows", 0)
        self._next = self._rows
        self._planned: Mapping[str, Reads] | None = None
        self._context = ExecutionContext(parallelism=1)
        self._left = self._batches(self._rows)
        self._ahead: pa.RecordBatch | None = None

    def _batches(self, skipped: int) -> Iterator[pa.RecordBatch]:
        for batch in self.source.scan.batches(self._context):
            part = batch.slice(skipped)
            skipped = max(0, skipped - batch.num_rows)
            if part.num_rows:
                yield part

    @property
    @override
    def position(self) -> Mapping[str, Any]:
        return {"ended": True} if self.has_ended else {"rows": self._next}

    @override
    def plan(self) -> Mapping[str, Reads]:
        if self._planned is not None:  # the rows are not there again
            return self._planned
        if self.has_ended:
            return {}
        batches: list[pa.RecordBatch] = []
        room = self._most_rows
        while room and (batch := self._ahead if self._ahead is not None else next(self._left, None)) is not None:
            batches.append(batch.slice(0, room))
            self._ahead = batch.slice(room) if batch.num_rows > room else None
            room -= batches[-1].num_rows
        if self._ahead is None:
            self._ahead = next(self._left, None)
        self.has_ended = self._ahead is None
        self._next = self._rows + sum(batch.num_rows for batch in batches)
        self.splits = {""}
        self._planned = {"": self._sent.send(batches)} if batches else {}
        return self._planned

    @override
    def taken(self) -> None:
        self._rows, self._planned = self._next, None
        self._sent.clear()

    @override
    def close(self) -> None:
        with suppress(Exception):  # the job has ended
            self._context.close()
            self._sent.clear()
