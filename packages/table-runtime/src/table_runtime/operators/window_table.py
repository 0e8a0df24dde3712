"""Puts rows into windows of time that depend on nothing but their own time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.types import TimestampType
from table_runtime.batches import BATCH_ROWS, make_batch, take_arrays
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing, map_ordered
from table_runtime.operators.time_windows import AlignedWindows

__all__ = ["TimeColumn", "WindowTable"]

_MILLISECONDS = pa.timestamp("ms")
_BOUND = to_arrow_type(TimestampType(3))
_ROWS_AT_ONCE = 8 * BATCH_ROWS
"""How many rows with windows are made at once, at most."""


@dataclass(frozen=True, eq=False)
class TimeColumn:
    """The column with the time: its position, and how to get from it to a TIMESTAMP(3) of the local clock and back."""

    position: int
    to_local: Callable[[pa.Array], pa.Array]
    from_local: Callable[[pa.Array], pa.Array]

    def milliseconds(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns the local times since 1970-01-01 00:00; NULL stays NULL."""
        return pc.cast(pc.cast(self.to_local(batch.column(self.position)), _MILLISECONDS), pa.int64())

    def window_columns(self, starts: pa.Array, ends: pa.Array) -> list[pa.Array]:
        """Returns the columns start, end and time of windows."""
        last = pc.subtract(ends, pa.scalar(1, pa.int64()))
        start, end, time = (pc.cast(pc.cast(ticks, _MILLISECONDS), _BOUND) for ticks in (starts, ends, last))
        return [start, end, self.from_local(time)]


class WindowTable(Operator):
    """Yields each row once for each of its windows, with start, end and time of the window behind its own columns.

    Rows without a time are dropped.
    """

    def __init__(self, child: Operator, schema: pa.Schema, time: TimeColumn, windows: AlignedWindows, text: str = "") -> None:
        super().__init__(schema, (child,))
        self._time = time
        self._windows = windows
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs

        def assign(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
            rows = self._assign(batch, context)
            # What is many times the batch is made as it is taken.
            return list(rows) if self._windows.most <= 8 else rows

        parts = map_ordered(assign, child.batches(context), context)
        try:
            for part in parts:
                yield from part
        finally:
            closing(parts)

    def _assign(self, batch: pa.RecordBatch, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        times = self._time.milliseconds(batch)
        if times.null_count:
            batch = batch.filter(pc.is_valid(times))
            times = pc.drop_null(times)
        # Many windows for each row: few rows at once.
        size = max(1, _ROWS_AT_ONCE // max(1, self._windows.most))
        for start in range(0, batch.num_rows, size):
            context.check()
            rows, starts, ends = self._windows.assign(times.slice(start, size))
            part = batch.slice(start, size)
            for first in range(0, len(starts), BATCH_ROWS):
                columns = part.columns
                if rows is not None:
                    columns = take_arrays(columns, rows.slice(first, BATCH_ROWS))
                elif len(starts) > BATCH_ROWS:
                    columns = [column.slice(first, BATCH_ROWS) for column in columns]
                window = self._time.window_columns(starts.slice(first, BATCH_ROWS), ends.slice(first, BATCH_ROWS))
                yield make_batch([*columns, *window], self.schema, len(window[0]))
