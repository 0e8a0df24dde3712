"""The rows of one source on the graph thread: in batches of a good size, with the position after those that were taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import make_batch, rechunk
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.job.in_process.mailbox import CaughtUp, RangeFinished, RangeStarted, ReadRows, SourceEnded, SourceOpened
from table_runtime.streaming.job.in_process.reader import ReaderThread
from table_runtime.streaming.job.source_metrics import SourceMetrics

_WHOLE = ""
"""The split of a source that has no splits: a scan, or a source with offsets before its first rows."""


@dataclass(frozen=True, slots=True)
class BatchingPolicy:
    """How many rows a batch may have, and how many seconds rows wait for others."""

    max_rows: int
    max_delay: float
    waits_when_caught_up: bool = False


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """What was taken from a source: changes of one split, or None; and whether the source has ended."""

    changes: ChangeBatch | None
    split: str = ""
    has_ended: bool = False


class SourceInput:
    """A source of a running job. ``position`` is a JSON object; a reader that starts there gives the rows that were not taken.

    It has ``offset``; within a range also its ``end`` and how many of its ``rows`` were taken. For a scan without offsets it has ``rows``. ``ended`` is
    true at the end of a source.
    """

    def __init__(
        self,
        number: int,
        source: Source,
        reader: ReaderThread,
        position: Mapping[str, Any],
        order: ReadingOrder,
        splits: Sequence[str] = (),
        watermarks: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        """``splits`` are those that are known from the state of the job; ``watermarks`` returns what its metrics report."""
        self.number = number
        self.source = source
        self.reader = reader
        self.metrics = SourceMetrics(watermarks, lambda: reader.pending)
        self._position = dict(position)
        self._order = order
        self._splits: set[str] = set()
        self._is_repeatable = True
        self._begin(splits)

    @property
    def position(self) -> Mapping[str, Any]:
        """The offset at which the next read starts."""
        return dict(self._position)

    @property
    def must_finish_range(self) -> bool:
        """Whether rows were taken of a range that no other run can read again, and that has not ended."""
        return not self._is_repeatable and bool(self._position.get("rows"))

    def ready_in(self, policy: BatchingPolicy) -> float | None:
        """Returns in how many seconds there is something to take; None: that is not known."""
        return self.reader.queue.ready_in(policy.max_rows, policy.max_delay, waits_when_caught_up=policy.waits_when_caught_up)

    def take(self, policy: BatchingPolicy) -> SourceBatch:
        """Takes the next rows, all of one split, and tells the order of reading what happened before them."""
        queue, split = self.reader.queue, ""
        batches: list[pa.RecordBatch] = []
        rows = 0
        while (item := queue.first()) is not None:
            match item:
                case ReadRows(name, batch):
                    if not batches and self.ready_in(policy):
                        break  # they came after other items, and wait for others
                    room = policy.max_rows - rows
                    is_whole = batch.num_rows <= room or policy.waits_when_caught_up  # a mini-batch has its size
                    if room <= 0 or (batches and not (name == split and is_whole)):
                        break
                    if not batches:
                        split = name
                        self._has_rows(name)
                    taken = batch.slice(0, room)
                    batches.append(taken)
                    rows += taken.num_rows
                    rest = ReadRows(name, batch.slice(room)) if batch.num_rows > room else None
                    queue.replace(rest, waits=policy.waits_when_caught_up)
                    self._position["rows"] = self._position.get("rows", 0) + taken.num_rows
                    continue
                case SourceOpened(splits, start):
                    self._begin(splits)
                    self._position.setdefault("offset", start)
                case RangeStarted(splits, start, end, is_repeatable):
                    self._begin(splits)
                    self._is_repeatable = is_repeatable
                    if not is_repeatable:  # the next run asks for its end again
                        self._position = {"offset": start}
                    elif self._position.get("end") != end or self._position.get("offset") != start:
                        self._position = {"offset": start, "end": end}
                case RangeFinished(offset, ignored):
                    self.metrics.ignored += ignored
                    self._position = {"offset": offset}
                case CaughtUp(splits, at):
                    if batches and not (policy.waits_when_caught_up and queue.next_split() == split):
                        break
                    for name in self._splits or {_WHOLE} if splits is None else splits:
                        if not batches or name != split:  # more rows of this split have come since
                            self._order.caught_up(self.number, name, at)
                case SourceEnded():
                    if batches:
                        break
                    queue.take()
                    return SourceBatch(None, has_ended=True)
            queue.take()
        self.metrics.add(rows)
        return SourceBatch(self._changes(batches) if batches else None, split)

    def end(self) -> None:
        """Notes that no more rows are taken."""
        self._position["ended"] = True

    def _begin(self, splits: Sequence[str]) -> None:
        new = [name for name in splits if name not in self._splits]
        for name in new:
            self._order.split_began(self.number, name)
        if new and not self._splits and _WHOLE not in splits:
            self._order.split_ended(self.number, _WHOLE)
        self._splits.update(new)

    def _has_rows(self, split: str) -> None:
        self._order.has_rows(self.number, split)

    def _changes(self, batches: Sequence[pa.RecordBatch]) -> ChangeBatch:
        source = self.source
        batch = rechunk(batches, batches[0].schema) if len(batches) > 1 else batches[0]
        if not source.has_kinds:
            return ChangeBatch(batch)
        if isinstance(source.scan, ScanOffsets):
            kinds = np.asarray(batch.column(batch.num_columns - 1)).astype(np.int8)
            return ChangeBatch(make_batch(batch.columns[:-1], source.schema, batch.num_rows), kinds)
        return ChangeBatch.of_numbered(batch, source.schema)
