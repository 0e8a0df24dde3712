"""Writes to the sinks of a job on a thread of its own, and ends its epochs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from table_common.restrictions import keeping_restrictions
from table_runtime.columns.batches import approximate_size
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.manifest import SinkMessages
from table_runtime.streaming.job.checkpoint_store import Checkpoint
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.job.in_process.mailbox import CAPACITY_BYTES, CAPACITY_ROWS, LONGEST_WAIT, Mailbox
from table_runtime.streaming.job.sink_epochs import SinkEpochs


class _Batch(NamedTuple):
    sink: int
    rows: pa.RecordBatch


class EndOfEpoch:
    """The end of an epoch, after the rows that were added before; the methods are called on the writer's thread."""

    def __init__(self, epoch: Epoch, watermarks: Sequence[int | None]) -> None:
        """``watermarks`` are those of the sinks' inputs; None without event time."""
        self.epoch = epoch
        self.watermarks = watermarks
        self.checkpoint: Checkpoint | None = None
        """What the epoch is prepared with, once ``begin`` was called."""

    def begin(self) -> bool:
        """Called before the sinks are prepared; returns False if the epoch was given back: its rows are those of the next one."""
        return True

    def committed(self) -> None:
        """Called when the epoch is committed."""


class WriterThread:
    """Takes rows while its queue has room, and ends epochs: prepares all sinks, lets the epoch be decided, and commits it.

    Once the commit of an epoch has begun, cancellation does not interrupt it.
    """

    def __init__(self, sinks: Sequence[SinkEpochs], mailbox: Mailbox, context: ExecutionContext, *, epoch: int, name: str) -> None:
        self._sinks = sinks
        self._mailbox = mailbox
        self._context = context
        self._epoch = epoch
        self._items: deque[_Batch | EndOfEpoch | None] = deque()
        self._rows = 0
        self._bytes = 0
        self._ending = 0
        self.has_rows = False
        """Whether rows were added since this was last set to False."""
        self._has_ended = False
        self._callbacks: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=keeping_restrictions(self._run), name=name, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    @property
    def ending_epochs(self) -> int:
        """The number of epochs that were ended and are not committed yet."""
        with self._mailbox.changed:
            return self._ending

    def write(self, sink: int, rows: pa.RecordBatch) -> None:
        """Adds rows for a sink; waits while the queue is full, unless the job fails or is cancelled."""
        with self._mailbox.changed:
            while (self._rows >= CAPACITY_ROWS or self._bytes >= CAPACITY_BYTES) and not self._is_over:
                self._mailbox.changed.wait(LONGEST_WAIT)
            if self._is_over:
                return
            self._items.append(_Batch(sink, rows))
            self.has_rows = True
            self._rows += rows.num_rows
            self._bytes += approximate_size(rows)
            self._mailbox.changed.notify_all()

    def end_epoch(self, end: EndOfEpoch) -> None:
        """Ends an epoch after the rows added so far."""
        with self._mailbox.changed:
            self._ending += 1
            self._items.append(end)
            self._mailbox.changed.notify_all()

    def finish(self) -> None:
        """Waits until everything was written and all ended epochs are committed.

        Raises:
            TableError: a write or a commit failed.
        """
        with self._mailbox.changed:
            self._items.append(None)
            self._mailbox.changed.notify_all()
            while not self._has_ended:
                self._mailbox.changed.wait(LONGEST_WAIT)
        if self._mailbox.failure is not None:
            raise self._mailbox.failure

    def stop(self, seconds: float) -> None:
        """Waits at most ``seconds`` seconds for the end of the thread, which stops because the job has failed or was cancelled."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    @property
    def is_running(self) -> bool:
        """Whether the thread may still write: it is in a call of a sink, which nothing interrupts."""
        return self._thread.is_alive()

    @property
    def thread(self) -> threading.Thread:
        """The thread, which when it has ended keeps nothing of the job alive."""
        return self._thread

    def when_ended(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` when the thread writes no more: now, or then on the thread."""
        with self._mailbox.changed:
            if self.is_running and not self._has_ended:
                self._callbacks.append(callback)
                return
        callback()

    @property
    def _is_over(self) -> bool:
        return self._has_ended or self._mailbox.is_closed or self._mailbox.failure is not None or self._context.token.is_cancelled

    def _next(self) -> _Batch | EndOfEpoch | None:
        with self._mailbox.changed:
            while not self._items and not self._is_over:
                self._mailbox.changed.wait(LONGEST_WAIT)
            if self._is_over or not self._items:
                return None
            item = self._items.popleft()
            if isinstance(item, _Batch):
                self._rows -= item.rows.num_rows
                self._bytes -= approximate_size(item.rows)
                self._mailbox.changed.notify_all()
            return item

    def _run(self) -> None:
        try:
            while (item := self._next()) is not None:
                if isinstance(item, _Batch):
                    self._sinks[item.sink].write(item.rows, self._epoch)
                else:
                    self._end(item)
        except BaseException as error:
            self._mailbox.fail(error)
        finally:
            for sink in self._sinks:
                sink.abort()
            with self._mailbox.changed:
                self._has_ended = True
                self._mailbox.changed.notify_all()
            for callback in self._callbacks:
                callback()

    def _end(self, item: EndOfEpoch) -> None:
        if item.begin():
            item.epoch.complete(self._prepared(item), item.checkpoint, self._context.token.check)
            item.committed()
            self._epoch = item.epoch.number + 1
        with self._mailbox.changed:
            self._ending -= 1
            self._mailbox.changed.notify_all()

    def _prepared(self, item: EndOfEpoch) -> Iterator[SinkMessages]:
        """Prepares one sink after the other."""
        for sink, watermark in zip(self._sinks, item.watermarks, strict=True):
            messages = sink.prepare(item.epoch.number, watermark)
            yield SinkMessages(sink.take_rows(), tuple(messages))
