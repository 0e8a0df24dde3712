"""Runs an input once and replays its batches for several consumers."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator


class SharedSubplan(Operator):
    """Runs its input once and buffers the batches for all consumers."""

    def __init__(self, child: Operator) -> None:
        super().__init__(child.schema, (child,))

    @override
    def details(self) -> str:
        return f"id=[{id(self) % 10_000}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        buffer: _Buffer = context.shared(id(self), lambda: _Buffer(self.inputs[0].batches(context)))
        position = 0
        while (batch := buffer.at(position)) is not None:
            context.check()
            yield batch
            position += 1


class _Buffer:
    """The buffered batches, and the iterator of the remaining ones."""

    def __init__(self, source: Iterator[pa.RecordBatch]) -> None:
        self._source: Iterator[pa.RecordBatch] | None = source
        self._read: list[pa.RecordBatch] = []
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    def at(self, position: int) -> pa.RecordBatch | None:
        """Returns the batch at the position, read from the source if it is not buffered yet; None after the last."""
        with self._lock:
            while position >= len(self._read) and self._source is not None:
                try:
                    self._read.append(next(self._source))
                except StopIteration:
                    self._source = None
                except BaseException as error:
                    self._source, self._failure = None, error
            if position < len(self._read):
                return self._read[position]
            if self._failure is not None:
                raise self._failure
            return None
