"""What the readers of a job pass to its graph thread: bounded queues with one lock, so that the graph thread can wait for all of them at once."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, NamedTuple

import pyarrow as pa

from table_runtime.columns.batches import BATCH_ROWS, approximate_size

CAPACITY_ROWS = 4 * BATCH_ROWS
CAPACITY_BYTES = 16 << 20
CAPACITY_ITEMS = 4096
"""A reader waits while its queue has this number of rows, bytes or items: back-pressure."""
LONGEST_WAIT = 0.2
"""Seconds after which waiting threads look whether the job was cancelled."""


class SourceOpened(NamedTuple):
    """The source begins at an offset; ``splits`` are those that it knows."""

    splits: tuple[str, ...]
    offset: Any


class RangeStarted(NamedTuple):
    """A range of offsets begins; ``splits`` are those that the source knows, of which some have rows."""

    splits: tuple[str, ...]
    start: Any
    end: Any
    is_repeatable: bool = True
    """Whether another run can read the range again: an epoch does not end within one of which it cannot."""


class ReadRows(NamedTuple):
    """Rows of a split, in the schema of the scan."""

    split: str
    batch: pa.RecordBatch


class RangeFinished(NamedTuple):
    """The rows of a range were all given; the next one begins at ``offset``."""

    offset: Any
    ignored: int = 0
    """How many messages and values of the range could not be read and were left out."""


class CaughtUp(NamedTuple):
    """Splits were read to their end, as that was ``at`` a time of ``monotonic_milliseconds``; None: all splits."""

    splits: tuple[str, ...] | None
    at: int


class SourceEnded(NamedTuple):
    """The source has no more rows."""


ReaderEvent = SourceOpened | RangeStarted | ReadRows | RangeFinished | CaughtUp | SourceEnded


class Mailbox:
    """The lock of a job's queues, and the first failure of its threads."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.failure: BaseException | None = None
        self.is_closed = False

    def fail(self, error: BaseException) -> None:
        """Notes the failure of a thread, which the graph thread raises."""
        with self.changed:
            if self.failure is None:
                self.failure = error
            self.changed.notify_all()

    def close(self) -> None:
        """Wakes up all threads: nobody takes what they put any more."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    def wake(self) -> None:
        """Wakes up the threads that wait."""
        with self.changed:
            self.changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Waits until something was put, at most ``seconds`` seconds."""
        with self.changed:
            self.changed.wait(seconds)


class SourceQueue:
    """What one reader has read and the graph has not taken yet. One thread puts, the graph thread takes."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._items: deque[ReaderEvent] = deque()
        self._rows = 0
        self._bytes = 0
        self._since = 0.0
        self._is_closed = False
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        """Whether the reader is to stop."""
        return self._is_closed or self._is_stopped or self._mailbox.is_closed

    def close(self) -> None:
        """Tells the reader to stop; what it has put stays."""
        with self._mailbox.changed:
            self._is_closed = True
            self._mailbox.changed.notify_all()

    def await_stop(self) -> None:
        """Waits until a queue that was closed is stopped."""
        with self._mailbox.changed:
            while self._is_closed and not (self._is_stopped or self._mailbox.is_closed):
                self._mailbox.changed.wait(LONGEST_WAIT)

    def stop(self) -> None:
        """Tells the reader to stop, and drops what it has put."""
        with self._mailbox.changed:
            self._is_stopped = True
            self._items.clear()
            self._mailbox.changed.notify_all()

    def put(self, item: ReaderEvent) -> bool:
        """Adds an item; rows wait while the queue is full. Returns False if the reader is to stop."""
        with self._mailbox.changed:
            if isinstance(item, ReadRows):
                while self._is_full and not self.is_stopped:
                    self._mailbox.changed.wait(LONGEST_WAIT)
            if self.is_stopped:
                return False
            if isinstance(item, ReadRows):
                if not self._rows:
                    self._since = time.monotonic()
                self._rows += item.batch.num_rows
                self._bytes += approximate_size(item.batch)
            if isinstance(item, CaughtUp) and self._items and _is_news_of_same_splits(item, self._items[-1]):
                self._items[-1] = item
                return True
            self._items.append(item)
            self._mailbox.changed.notify_all()
            return True

    @property
    def _is_full(self) -> bool:
        return self._rows >= CAPACITY_ROWS or self._bytes >= CAPACITY_BYTES or len(self._items) >= CAPACITY_ITEMS

    def ready_in(self, rows: int, wait: float, *, waits_when_caught_up: bool) -> float | None:
        """Returns in how many seconds items can be taken: 0 if ``rows`` rows are there or the first ones waited for ``wait`` seconds; None without items.

        Rows after which the reader has nothing for now do not wait, unless ``waits_when_caught_up``.
        """
        with self._mailbox.changed:
            if not self._items:
                return None
            if not self._rows or self._rows >= rows or self._is_full or isinstance(self._items[-1], SourceEnded):
                return 0.0
            if isinstance(self._items[-1], CaughtUp) and not waits_when_caught_up:
                return 0.0
            return max(0.0, self._since + wait - time.monotonic())

    def first(self) -> ReaderEvent | None:
        """Returns the first item, which stays in the queue."""
        with self._mailbox.changed:
            return self._items[0] if self._items else None

    def next_split(self) -> str | None:
        """Returns the split of the first rows in the queue; None without rows."""
        with self._mailbox.changed:
            return next((item.split for item in self._items if isinstance(item, ReadRows)), None)

    def take(self) -> None:
        """Removes the first item."""
        self.replace(None)

    def replace(self, rest: ReadRows | None, *, waits: bool = False) -> None:
        """Removes the first item, or leaves ``rest`` of its rows, which ``waits`` for more rows or not."""
        with self._mailbox.changed:
            if not self._items:
                return
            item = self._items.popleft()
            if isinstance(item, ReadRows):
                self._rows -= item.batch.num_rows
                self._bytes -= approximate_size(item.batch)
                self._since = time.monotonic()
            if rest is not None:
                self._items.appendleft(rest)
                self._rows += rest.batch.num_rows
                self._bytes += approximate_size(rest.batch)
                self._since = time.monotonic() if waits else 0.0
            self._mailbox.changed.notify_all()


def _is_news_of_same_splits(item: CaughtUp, last: ReaderEvent) -> bool:
    return isinstance(last, CaughtUp) and last.splits == item.splits
