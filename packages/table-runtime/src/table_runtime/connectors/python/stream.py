"""Rows of a Python object that do not end: a thread takes them from it, and an offset counts them.

Python objects cannot be read again from a position. So a job that resumes goes on with what the object gives then: each row comes at most once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit, SupportsArrowArray
from table_common.frozen_dataclass import dataclass, field
from table_runtime.batches import make_batch
from table_runtime.connectors.python.async_rows import AsyncRows
from table_runtime.connectors.python.given_rows import BATCH_ROWS, items_of
from table_runtime.connectors.python.source import PythonScan
from table_runtime.connectors.python.user_code import UserCode

__all__ = ["PythonStream"]

_SPLIT = "rows"
_MOST_ITEMS = 4 * BATCH_ROWS
"""Items that are taken ahead."""
_MOST_ROWS = 4 * BATCH_ROWS


class _Pump:
    """Takes items of the user's object on a thread, while there is room."""

    def __init__(self, code: UserCode, arguments: Mapping[str, Any]) -> None:
        self._code = code
        self._arguments = arguments
        self._changed = threading.Condition()
        self._items: deque[Any] = deque()
        self._failure: BaseException | None = None
        self._has_ended = False
        self._is_stopped = False
        self._iterator: Iterator[Any] | None = None
        # A daemon: nothing can interrupt an object that waits for its next row.
        self._thread = threading.Thread(target=self._run, name=f"python-rows-{code.name}", daemon=True)
        self._thread.start()

    def take(self) -> list[Any]:
        """Returns the items that are there.

        Raises:
            TableRuntimeException: the user's code failed; the items before have been taken.
        """
        with self._changed:
            items = list(self._items)
            self._items.clear()
            self._changed.notify_all()
            if not items and self._failure is not None:
                raise self._failure
            return items

    def wait(self, seconds: float) -> bool:
        """Waits for an item or the end, at most so many seconds; returns whether there is something."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._items) or self._has_ended, seconds)

    @property
    def has_ended(self) -> bool:
        """Whether all items were taken, and no more will come."""
        with self._changed:
            return self._has_ended and not self._items and self._failure is None

    def stop(self) -> None:
        """Takes no more items. What waits for the next one is not interrupted, unless it is asynchronous."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        if isinstance(self._iterator, AsyncRows):
            self._iterator.cancel()
        self._thread.join(0.1)

    def _run(self) -> None:
        try:
            self._iterator = iterator = items_of(self._code, self._code.rows(self._arguments))
            end = object()
            while not self._is_stopped and (item := self._code.guarded(lambda: next(iterator, end))) is not end:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._items) < _MOST_ITEMS or self._is_stopped)
                    self._items.append(item)
                    self._changed.notify_all()
            close: Callable[[], None] | None = getattr(iterator, "close", None)
            if close is not None:
                self._code.guarded(close)
        except BaseException as error:
            self._failure = error
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()


class _Feed:
    """The rows that were taken and not read yet, with the number of the first one. Of the process that created it."""

    def __init__(self, scan: PythonScan) -> None:
        self._scan = scan
        self._pump: _Pump | None = None
        self._given = scan.given_rows()
        self._batches: deque[pa.RecordBatch] = deque()
        self.first = 0
        self._rows = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _Feed, (self._scan,)

    @property
    def end(self) -> int:
        """The number behind the last row."""
        return self.first + self._rows

    def begin(self, start: int) -> _Pump:
        """Starts at a number, unless it has started."""
        if self._pump is None:
            self.first = start
            self._pump = _Pump(self._scan.code, self._scan.arguments())
        return self._pump

    def fill(self, pump: _Pump) -> None:
        """Takes what is there, if few rows are left."""
        if self._rows < _MOST_ROWS and (items := pump.take()):
            for batch in self._given.batches(items, BATCH_ROWS):
                self._batches.append(batch)
                self._rows += batch.num_rows

    def read(self, start: int, end: int) -> Iterator[pa.RecordBatch]:
        """Yields the rows from ``start`` to ``end``, but those that were read before."""
        while self._batches and self.first < end:
            batch = self._batches.popleft()
            left = batch.slice(end - self.first)
            if left.num_rows:
                self._batches.appendleft(left)
                batch = batch.slice(0, end - self.first)
            self.first += batch.num_rows
            self._rows -= batch.num_rows
            yield batch

    def stop(self) -> None:
        """Ends the thread, and forgets the rows that were not read."""
        pump, self._pump = self._pump, None
        if pump is not None:
            pump.stop()
        self._batches.clear()
        self._rows = 0


@dataclass(frozen=True, eq=False)
class PythonStream(SourceProvider):
    """Rows without an end of a callable or iterable. The offset is the number of rows; a range that is planned again has the rows that were not read."""

    scan: PythonScan
    feed: _Feed = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "feed", _Feed(self.scan))

    @property
    @override
    def is_bounded(self) -> bool:
        return False

    @override
    def initial_offset(self) -> Offset:
        return 0

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        first = cast("int", start)
        self.feed.fill(self.feed.begin(first))
        end = max(first, self.feed.end)
        return end if limit is None or limit.rows is None else min(end, first + limit.rows)

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        return self.feed.begin(cast("int", start)).wait(seconds)

    @override
    def has_ended(self, start: Offset) -> bool:
        return self.feed.begin(cast("int", start)).has_ended

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        return [] if start == end else [_Rows(_SPLIT, cast("int", start), cast("int", end))]

    @override
    def create_reader(self) -> SourceReader:
        return _Reader(self.feed, self.scan.columns)

    @override
    def close(self) -> None:
        self.feed.stop()


@dataclass(frozen=True, slots=True)
class _Rows:
    split_id: str
    start: int
    end: int


class _Reader(SourceReader):
    def __init__(self, feed: _Feed, columns: Sequence[int]) -> None:
        self._feed = feed
        self._columns = columns

    @override
    def read(self, split: SourceSplit) -> Iterator[SupportsArrowArray]:
        assert isinstance(split, _Rows)
        for batch in self._feed.read(split.start, split.end):
            yield batch if self._columns else make_batch([], pa.schema([]), batch.num_rows)
