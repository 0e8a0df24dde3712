"""Prefetches streams on separate threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from table_common.restrictions import keeping_restrictions
from table_runtime.cancellation import CancellationToken
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.parallel import close_iterator
from table_runtime.run.threads import POLL_SECONDS, STUCK_SECONDS

Open = Callable[[], Iterator[pa.RecordBatch]]
AHEAD = 4
"""Maximum prefetched batches per stream."""


def prefetch(streams: Sequence[Open], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Yields the batches of all streams in order; separate threads already read the next streams."""
    if len(streams) <= 1 or context.parallelism <= 1:
        for open_stream in streams:
            source = open_stream()
            try:
                yield from source
            finally:
                close_iterator(source)
        return
    waiting = deque(streams)
    running: deque[Reader] = deque()
    try:
        while waiting or running:
            while waiting and len(running) < context.parallelism:
                running.append(Reader(waiting.popleft(), context.token))
            reader = running[0]
            while (batch := reader.take()) is not None:
                yield batch
            running.popleft()
    finally:
        for reader in running:
            reader.stop()


class Reader:
    """A thread that reads one stream and buffers up to ``ahead`` batches."""

    def __init__(self, open_stream: Open, token: CancellationToken, ahead: int = AHEAD) -> None:
        self._open = open_stream
        self._token = token
        self._ahead = ahead
        self._changed = threading.Condition()
        self._batches: deque[pa.RecordBatch] = deque()
        self._ended = False
        self._stopped = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=keeping_restrictions(self._run), name="table-reader", daemon=True)
        self._thread.start()

    def take(self) -> pa.RecordBatch | None:
        """Waits for the next batch and returns it; None at the end."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._batches or self._ended, POLL_SECONDS):
                self._token.check()
            if self._batches:
                batch = self._batches.popleft()
                self._changed.notify_all()
                return batch
            if self._failure is not None:
                raise self._failure
            return None

    def stop(self) -> None:
        """Stops the thread, which closes the stream. After cancellation it does not wait for a stream that is stuck."""
        with self._changed:
            self._stopped = True
            self._batches.clear()
            self._changed.notify_all()
        self._thread.join(STUCK_SECONDS if self._token.is_cancelled else None)

    def _run(self) -> None:
        source: Iterator[pa.RecordBatch] | None = None
        try:
            source = self._token.run(self._open)
            while (batch := self._token.run(partial(next, source, None))) is not None:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._batches) < self._ahead or self._stopped)
                    if self._stopped:
                        return
                    self._batches.append(batch)
                    self._changed.notify_all()
        except BaseException as error:
            self._failure = error
        finally:
            close_iterator(source)
            with self._changed:
                self._ended = True
                self._changed.notify_all()
