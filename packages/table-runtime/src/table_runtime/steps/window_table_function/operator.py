"""Assigns rows to time windows that depend only on the row's own time: TUMBLE, HOP and CUMULATE."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.types import TimestampType
from table_runtime.columns.batches import BATCH_ROWS, make_batch, take_arrays
from table_runtime.steps.pipeline import Step
from table_runtime.steps.window_table_function import AlignedWindows

_MILLISECONDS = pa.timestamp("ms")
_BOUND = to_arrow_type(TimestampType(3))
_ROWS_AT_ONCE = 8 * BATCH_ROWS
"""Maximum rows with windows that are produced at once."""


@dataclass(frozen=True, eq=False)
class TimeColumn:
    """The time column: its position, and the conversions to a TIMESTAMP(3) in local time and back."""

    position: int
    to_local: Callable[[pa.Array], pa.Array]
    from_local: Callable[[pa.Array], pa.Array]

    def milliseconds(self, times: pa.Array) -> pa.Array:
        """Converts values of the column to local milliseconds since 1970-01-01 00:00; NULL stays NULL."""
        return pc.cast(pc.cast(self.to_local(times), _MILLISECONDS), pa.int64())

    def window_columns(self, starts: pa.Array, ends: pa.Array) -> list[pa.Array]:
        """Returns the columns window_start, window_end and window_time."""
        last = pc.subtract(ends, pa.scalar(1, pa.int64()))
        start, end, time = (pc.cast(pc.cast(ticks, _MILLISECONDS), _BOUND) for ticks in (starts, ends, last))
        return [start, end, self.from_local(time)]


class WindowTableFunction(Step):
    """Yields each row once per window, followed by start, end and time of the window. Rows with a NULL time are dropped."""

    def __init__(self, schema: pa.Schema, time: TimeColumn, windows: AlignedWindows, text: str = "") -> None:
        super().__init__(schema)
        self._time = time
        self._windows = windows
        self._text = text

    @override
    def plan_line(self) -> str:
        return f"WindowTableFunction({self._text})"

    @override
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        times = self._time.milliseconds(batch.column(self._time.position))
        if times.null_count:
            batch = batch.filter(pc.is_valid(times))
            times = pc.drop_null(times)
        # The more windows a row has, the fewer rows are processed at once.
        size = max(1, _ROWS_AT_ONCE // max(1, self._windows.most))
        for start in range(0, batch.num_rows, size):
            check()
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
