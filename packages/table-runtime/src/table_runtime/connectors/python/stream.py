"""Unbounded rows of a Python object: a thread takes them from it, and an offset counts them.

Python objects cannot be read again from a position. So a job that resumes continues with what the object gives then: each row comes at most once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit, SupportsArrowArray
from table_common.frozen_dataclass import dataclass, field
from table_runtime.columns.batches import make_batch
from table_runtime.connectors.python.async_rows import AsyncRows
from table_runtime.connectors.python.returned_rows import BATCH_ROWS, items_of
from table_runtime.connectors.python.scan import PythonScan
from table_runtime.connectors.python.user_code import UserCode
from table_runtime.sources.item_pump import ItemPump

_SPLIT = "rows"
_MOST_ITEMS = 4 * BATCH_ROWS
"""Items that are taken ahead."""
_MOST_ROWS = 4 * BATCH_ROWS


class _Guarded(Iterator[Any]):
    """Items of the user's code, whose errors say where they come from."""

    def __init__(self, code: UserCode, items: Iterator[Any]) -> None:
        self._code = code
        self._items = items

    def __next__(self) -> Any:
        end = object()
        item = self._code.guarded(lambda: next(self._items, end))
        if item is end:
            raise StopIteration
        return item

    def cancel(self) -> None:
        if isinstance(self._items, AsyncRows):
            self._items.cancel()

    def close(self) -> None:
        close: Callable[[], None] | None = getattr(self._items, "close", None)
        if close is not None:
            self._code.guarded(close)


class _Feed:
    """The rows that were taken and not read yet, with the number of the first one. Of the process that created it."""

    def __init__(self, scan: PythonScan) -> None:
        self._scan = scan
        self._pump: ItemPump[Any] | None = None
        self._given = scan.given_rows()
        self._batches: deque[pa.RecordBatch] = deque()
        self.first = 0
        self._rows = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _Feed, (self._scan,)

    @property
    def end(self) -> int:
        """The number after the last row."""
        return self.first + self._rows

    def begin(self, start: int) -> ItemPump[Any]:
        """Starts at a number, unless it has started."""
        if self._pump is None:
            self.first = start
            self._pump = ItemPump(self._items, _MOST_ITEMS, f"python-rows-{self._scan.code.name}")
        return self._pump

    def _items(self) -> Iterator[Any]:
        code = self._scan.code
        return _Guarded(code, items_of(code, code.rows(self._scan.arguments())))

    def fill(self, pump: ItemPump[Any]) -> None:
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
    """Unbounded rows of a callable or iterable. The offset is the number of rows; a range that is planned again has the rows that were not read."""

    scan: PythonScan
    feed: _Feed = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "feed", _Feed(self.scan))

    @property
    @override
    def is_bounded(self) -> bool:
        return False

    @property
    @override
    def is_in_process(self) -> bool:
        return True

    @override
    def initial_offset(self) -> Offset:
        return 0

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        first = cast("int", start)
        self.feed.fill(self.feed.begin(first))
        end = max(first, self.feed.end)
        if limit is not None and limit.until is not None:
            end = max(first, min(end, cast("int", limit.until)))
        return end if limit is None or limit.rows is None else min(end, first + limit.rows)

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        pump = self.feed.begin(cast("int", start))
        return self.feed.end > cast("int", start) or pump.wait(seconds)

    @override
    def has_ended(self, start: Offset) -> bool:
        pump = self.feed.begin(cast("int", start))
        return self.feed.end <= cast("int", start) and pump.has_ended

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        return [] if start == end else [_Rows(_SPLIT, cast("int", start), cast("int", end))]

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        return (_SPLIT,)

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
