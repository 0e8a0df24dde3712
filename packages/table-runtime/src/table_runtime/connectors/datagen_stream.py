"""The rows of ``datagen`` by offset: an unbounded table whose rows depend only on their number, the seed, and the time at which they came."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_schema
from table_common.connector import ArrowScanProvider, InputSplit, Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import RowType
from table_runtime.connectors.datagen_columns import ColumnPlan, generate, has_clock

BLOCK_ROWS = 16_384
"""Rows that are generated together. The random values of a row depend on it, so a replay must not change it."""
_BLOCK_BYTES = 2**24
_SPLIT = "rows"
_PAUSE_SECONDS = 0.05


def block_rows(columns: Sequence[ColumnPlan], most_rows: int, most_bytes: int) -> int:
    """Returns how many rows are generated together: the most, or fewer if they are wide."""
    return max(1, min(most_rows, most_bytes // max(1, sum(column.size for column in columns))))


class _Rate:
    """Allows rows at a rate. What a slow reader missed is made up for at most a second."""

    def __init__(self, rows_per_second: int) -> None:
        self._rows_per_second = rows_per_second
        self._at_once = max(1, rows_per_second // 100)
        self._began: float | None = None
        self._first = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _Rate, (self._rows_per_second,)  # a copy in another process has another clock

    def allowed(self, row: int) -> int:
        """Returns the number of the row after the last one that may be read now; the first row, or 10 ms of rows, at once."""
        now = time.monotonic()
        if self._began is None or row < self._first:
            self._began, self._first = now, row
        allowed = self._first + int((now - self._began) * self._rows_per_second) + self._at_once
        most = row + self._rows_per_second
        if allowed > most:
            self._began, self._first = now, most - self._at_once
            return most
        return max(allowed, row)

    def seconds_until(self, row: int) -> float:
        """Returns how long it takes until the row may be read."""
        if self._began is None:
            return 0.0
        return max(0.0, self._began + (row + 1 - self._at_once - self._first) / self._rows_per_second - time.monotonic())


@dataclass(frozen=True)
class DataGenStream(SourceProvider):
    """Unbounded rows, or up to ``rows``.

    An offset is ``{"row": …, "seed": …, "time": …}``: the number of the next row, the seed of the table's rows (so a job that resumes continues with the
    same values), and the time in milliseconds at which the rows before it came, which is that of their time columns.
    """

    row_type: RowType
    columns: tuple[ColumnPlan, ...]
    rows: int | None
    seed: int
    rows_per_second: int
    rate: _Rate = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _Rate(self.rows_per_second))

    @property
    @override
    def is_bounded(self) -> bool:
        return self.rows is not None

    @override
    def initial_offset(self) -> Offset:
        return {"row": 0, "seed": self.seed, "time": 0}

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        position = cast("dict[str, int]", start)
        row = position["row"]
        end = self.rate.allowed(row)
        if limit is not None and limit.rows is not None:
            end = min(end, row + limit.rows)
        if limit is not None and limit.bytes is not None:
            end = min(end, row + max(1, limit.bytes // max(1, sum(max(column.size, 8) for column in self.columns))))
        if self.rows is not None:
            end = min(end, self.rows)
        if limit is not None and limit.until is not None:
            last = cast("dict[str, int]", limit.until)["row"]
            if end >= last > row:
                return limit.until
            end = min(end, last)
        return {"row": end, "seed": position["seed"], "time": time.time_ns() // 1_000_000} if end > row else start

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        due = self.rate.seconds_until(cast("dict[str, int]", start)["row"])
        time.sleep(min(due, seconds))
        return due <= seconds

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        first, behind = cast("dict[str, int]", start), cast("dict[str, int]", end)
        if first["row"] == behind["row"]:
            return []
        return [_Rows(_SPLIT, first["row"], behind["row"], behind["seed"], behind["time"])]

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        return (_SPLIT,)

    @override
    def create_reader(self) -> SourceReader:
        return _Reader(self.row_type, self.columns)


@dataclass(frozen=True)
class PacedRows(ArrowScanProvider):
    """The rows of a stream that ends, at its rate, from the first one on at each read."""

    stream: DataGenStream

    @property
    @override
    def is_bounded(self) -> bool:
        return True

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]  # parts that are read together would have the rate several times

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        stream = replace(self.stream)  # with a clock of its own
        reader = _Reader(stream.row_type, stream.columns)
        start = stream.initial_offset()
        while cast("dict[str, int]", start)["row"] != stream.rows:
            end = stream.latest_offset(start, ReadLimit(rows=BLOCK_ROWS))
            if end == start:
                stream.wait(start, _PAUSE_SECONDS)
                continue
            for rows in stream.plan(start, end):
                yield from reader.read(rows)
            start = end


@dataclass(frozen=True, slots=True)
class _Rows:
    split_id: str
    first: int
    behind: int
    seed: int
    time: int


class _Reader(SourceReader):
    """Generates whole blocks, and keeps the last one for the next range. Columns with times are generated for each range."""

    def __init__(self, row_type: RowType, columns: tuple[ColumnPlan, ...]) -> None:
        self._schema = to_arrow_schema(row_type)
        self._columns = columns
        self._rows = block_rows(columns, BLOCK_ROWS, _BLOCK_BYTES)
        self._number: tuple[int, int] | None = None
        self._block: list[pa.Array | None] = []

    @override
    def read(self, split: SourceSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, _Rows)
        row = split.first
        while row < split.behind:
            first = row // self._rows * self._rows
            count = min(first + self._rows, split.behind) - row
            arrays = self._block_of(first, split.seed)
            yield pa.RecordBatch.from_arrays(
                [
                    (generate(column, first, self._rows, split.seed, split.time) if array is None else array).slice(row - first, count)
                    for column, array in zip(self._columns, arrays, strict=True)
                ],
                schema=self._schema,
            )
            row += count

    def _block_of(self, first: int, seed: int) -> list[pa.Array | None]:
        if self._number != (first, seed):
            self._block = [None if has_clock(column) else generate(column, first, self._rows, seed) for column in self._columns]
            self._number = (first, seed)
        return self._block
