"""A bounded queue that passes batches from a job's thread to the reader; either side can close it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

import pyarrow as pa

CAPACITY = 4
"""Capacity of the queue, in batches."""
LONGEST_WAIT = 0.2
"""Seconds after which a waiting reader wakes up: a Ctrl-C just before a thread begins to wait is noticed only when it wakes."""


def _nothing() -> None:
    pass


class Channel:
    """Passes batches from one thread to another; the writer waits while the queue is full."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._batches: deque[pa.RecordBatch] = deque()
        self._closed = False
        self._failure: BaseException | None = None

    def put(self, batch: pa.RecordBatch) -> None:
        """Adds a batch; blocks while the queue is full. Drops the batch if the channel is closed."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._batches) < CAPACITY or self._closed)
            if not self._closed:
                self._batches.append(batch)
                self._changed.notify_all()

    def close(self) -> None:
        """Marks the end of the stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Raises the error in the reader before any queued batch; further writes are dropped."""
        with self._changed:
            if not self._closed:
                self._closed = True
                self._failure = error
                self._batches.clear()
            self._changed.notify_all()

    def items(self, waiting: Callable[[], None] = _nothing) -> Iterator[pa.RecordBatch]:
        """Yields the batches until the channel is closed, or raises its error; calls ``waiting`` after each timeout without a batch."""
        while True:
            with self._changed:
                while not self._changed.wait_for(lambda: self._batches or self._closed, LONGEST_WAIT):
                    waiting()
                if self._failure is not None:
                    raise self._failure
                if not self._batches:
                    return
                batch = self._batches.popleft()
                self._changed.notify_all()
            yield batch
