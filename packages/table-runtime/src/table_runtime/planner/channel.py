"""How a job's thread hands batches to the reader: a short queue that either side can close."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

import pyarrow as pa

__all__ = ["Channel"]

CAPACITY = 4
"""How many batches wait to be read."""
LONGEST_WAIT = 0.2
"""Seconds after which the reader looks up: a Ctrl-C that comes just before a thread begins to wait is seen only when it wakes."""


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
        """Adds a batch, waiting for room; once the channel is closed it is dropped."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._batches) < CAPACITY or self._closed)
            if not self._closed:
                self._batches.append(batch)
                self._changed.notify_all()

    def close(self) -> None:
        """Says that nothing more comes."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Makes the reader get the error at once, and the writer write into nothing."""
        with self._changed:
            if not self._closed:
                self._closed = True
                self._failure = error
                self._batches.clear()
            self._changed.notify_all()

    def items(self, waiting: Callable[[], None] = _nothing) -> Iterator[pa.RecordBatch]:
        """Yields the batches until the channel is closed, or raises its error; calls ``waiting`` when none has come for some time."""
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
