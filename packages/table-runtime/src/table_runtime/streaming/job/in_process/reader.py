"""Reads one source of a job ahead, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa

from table_common.connector import ReadLimit
from table_common.restrictions import keeping_restrictions
from table_runtime.cancellation import calling
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.run.threads import STUCK_SECONDS
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.job.in_process.mailbox import (
    CAPACITY_BYTES,
    CaughtUp,
    Mailbox,
    RangeFinished,
    RangeStarted,
    ReaderEvent,
    ReadRows,
    SourceEnded,
    SourceOpened,
    SourceQueue,
)
from table_runtime.streaming.time.idle_splits import monotonic_milliseconds

_T = TypeVar("_T")
_LIMIT = ReadLimit(rows=BATCH_ROWS, bytes=CAPACITY_BYTES)
"""Of one range: a range that is cut by an epoch is planned again after a restart, and its first rows are read again."""
_FIRST_WAIT = 0.05
_LONGEST_WAIT = 0.2
"""How many seconds a source waits for new rows at a time: twice as long each time, and never so long that a cancelled job ends late."""
_TELL_MILLISECONDS = 100
"""How often the graph thread hears that a source still has no rows, which makes its splits idle."""


class _Stopped(Exception):
    """Ends the thread: nobody takes the rows any more."""


class ReaderThread:
    """Puts the rows of a source into its queue, from a position on (``SourceInput.position``)."""

    def __init__(
        self,
        scan: Operator,
        position: Mapping[str, Any],
        mailbox: Mailbox,
        context: ExecutionContext,
        name: str,
        splits: Sequence[str] = (),
    ) -> None:
        """``splits`` are those that are known from the state of the job."""
        self.queue = SourceQueue(mailbox)
        self._scan = scan
        self._position = position
        self._mailbox = mailbox
        self._context = context
        self._committed: list[Any] = []
        self._splits = set(splits)
        self.pending: Mapping[str, int] = {}
        """How many rows of each split are not read yet, as far as the source knows."""
        self._thread = threading.Thread(target=keeping_restrictions(self._run), name=name, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def commit(self, offset: Any) -> None:
        """Asks the thread to tell the source that rows before the offset are not needed again."""
        self._committed = [offset]

    def finish(self) -> None:
        """Stops reading: failures of the source do not matter any more. The thread waits for ``stop``, and for what epochs commit until then."""
        self.queue.close()

    def stop(self) -> None:
        """Stops the thread, and waits for it unless it is stuck in the source."""
        self.queue.stop()
        if self._thread.ident is not None:
            self._thread.join(STUCK_SECONDS)

    def _run(self) -> None:
        try:
            if isinstance(self._scan, ScanOffsets):
                self._read_ranges(self._scan)
            else:
                self._read_batches()
            self._put(SourceEnded())
        except _Stopped:
            pass
        except BaseException as error:
            if not self.queue.is_stopped:
                self._mailbox.fail(error)
        finally:
            if isinstance(self._scan, ScanOffsets):
                with suppress(Exception):  # the job has ended
                    self.queue.await_stop()
                    self._commit(self._scan)
                with suppress(Exception):
                    self._scan.offsets.close()

    def _put(self, item: ReaderEvent) -> None:
        if not self.queue.put(item):
            raise _Stopped

    def _call(self, scan: ScanOffsets, call: Callable[..., _T], *arguments: Any) -> _T:
        """Returns the result of a call of the source; cancellation interrupts it."""
        method = getattr(call, "__name__", "read")

        def interruptible() -> _T:
            with calling(f"{type(scan.offsets).__name__}.{method}"):
                return scan.with_table_in_errors(partial(call, *arguments))

        return self._context.token.run(interruptible)

    def _read_ranges(self, scan: ScanOffsets) -> None:
        source = scan.offsets
        position = self._position
        start = position["offset"] if "offset" in position else self._call(scan, source.initial_offset)
        end, skipped = position.get("end"), position.get("rows", 0)
        reader = self._call(scan, source.create_reader)
        self._put(SourceOpened(self._known_splits(scan, start), start))
        try:
            while not self.queue.is_stopped:
                self._commit(scan)
                asked = monotonic_milliseconds()
                if end is None:
                    end = self._call(scan, source.latest_offset, start, _LIMIT)
                self.pending = self._call(scan, source.pending_rows, start)
                if end == start:
                    if self._call(scan, source.has_ended, start):
                        return
                    self._put(CaughtUp(None, asked))
                    self._await_rows(scan, start)
                    end = None
                    continue
                self._read_range(scan, reader, start, end, skipped, asked)
                start, end, skipped = end, None, 0
        finally:
            with suppress(Exception):
                reader.close()

    def _commit(self, scan: ScanOffsets) -> None:
        while self._committed:
            self._call(scan, scan.offsets.commit, self._committed.pop())

    def _known_splits(self, scan: ScanOffsets, start: Any) -> tuple[str, ...]:
        """Returns the splits that are known, before the rows of some of them: the watermark waits for all."""
        self._splits.update(self._call(scan, scan.offsets.split_ids, start))
        return tuple(sorted(self._splits))

    def _await_rows(self, scan: ScanOffsets, start: Any) -> None:
        """Waits until there may be rows after an offset, and reports each empty poll."""
        told, seconds = monotonic_milliseconds(), _FIRST_WAIT
        while not self.queue.is_stopped:
            self._commit(scan)
            asked = monotonic_milliseconds()
            if self._call(scan, scan.offsets.wait, start, seconds):
                return
            seconds = min(2 * seconds, _LONGEST_WAIT)
            if asked - told >= _TELL_MILLISECONDS:
                self._put(CaughtUp(None, asked))
                told = asked

    def _read_range(self, scan: ScanOffsets, reader: Any, start: Any, end: Any, skipped: int, asked: int) -> None:
        """Puts the rows of a range but the first ``skipped`` ones; ``asked`` is when the source was asked for its end."""
        ignored = reader.ignored
        splits = self._call(scan, scan.offsets.plan, start, end)
        names = {split.split_id for split in splits}
        self._splits.update(names)
        is_repeatable = self._call(scan, scan.offsets.is_repeatable, start, end)
        self._put(RangeStarted(self._known_splits(scan, end), start, end, is_repeatable))
        left = self._call(scan, scan.offsets.pending_rows, end)
        if others := [name for name in sorted(self._splits.difference(names)) if not left.get(name)]:
            self._put(CaughtUp(tuple(others), asked))
        for split in splits:
            batches = scan.read_split(reader, split)
            try:
                while (batch := self._call(scan, next, batches, None)) is not None:
                    left = batch.slice(skipped)
                    skipped -= batch.num_rows - left.num_rows
                    if left.num_rows:
                        self._put(ReadRows(split.split_id, left))
            finally:
                close_iterator(batches)
        self._put(RangeFinished(end, reader.ignored - ignored))

    def _read_batches(self) -> None:
        skipped = self._position.get("rows", 0)
        token = self._context.token
        batches: Iterator[pa.RecordBatch] = token.run(lambda: self._scan.batches(self._context))
        try:
            while (batch := token.run(lambda: next(batches, None))) is not None:
                left = batch.slice(skipped)
                skipped -= batch.num_rows - left.num_rows
                if left.num_rows:
                    self._put(ReadRows("", left))
        finally:
            close_iterator(batches)
