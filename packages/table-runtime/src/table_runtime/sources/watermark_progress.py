"""The watermarks that follow from the values of a WATERMARK expression, row by row, as Flink's assigner emits them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.sources.time_units import PER_MILLISECOND

Times = np.ndarray[Any, np.dtype[np.int64]]

NO_WATERMARK = -(1 << 63)
"""The watermark before the first one."""

_FEW_STEPS = 1024
"""Number of watermarks of a batch that are searched one by one; more are computed for all rows at once."""


def milliseconds_of(times: pa.Array) -> Times:
    """Returns the values of a time column in milliseconds, rounded down; NULL is ``NO_WATERMARK``."""
    ticks = pc.cast(times, pa.int64())
    values = np.asarray(pc.fill_null(ticks, NO_WATERMARK) if ticks.null_count else ticks)
    per_millisecond = PER_MILLISECOND[times.type.unit]
    return np.where(values == NO_WATERMARK, NO_WATERMARK, values // per_millisecond) if ticks.null_count else values // per_millisecond


class Watermarks:
    """The progress of event time in one input.

    A watermark is emitted after the first row, and after one whose greatest value so far exceeds the last emitted watermark by more than ``interval``
    milliseconds.
    """

    # Differs from Flink: rows before 1970 move event time. Flink's assigner, which is not that of sources that make watermarks, takes 0 for the watermark before
    # the first one, so it emits none up to the interval after 1970, and a window before 1970 never ends.

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self.greatest = NO_WATERMARK
        """The greatest value so far."""
        self.emitted = NO_WATERMARK
        """The last emitted watermark."""

    @property
    def current(self) -> int:
        """The watermark after the rows so far."""
        return self.emitted

    def advance(self, values: Times) -> Times:
        """Takes the values of the next rows; returns the watermark in force before each of them."""
        rows = len(values)
        before = np.empty(rows, np.int64)
        if not rows:
            return before
        greatest = np.maximum.accumulate(np.maximum(values, self.greatest))
        self.greatest = int(greatest[-1])
        ends, watermarks = [0], [self.current]
        for _ in range(_FEW_STEPS):
            end = int(greatest.searchsorted(self.emitted + self._interval, "right"))
            if end >= rows:
                return np.repeat(watermarks, np.diff(ends, append=rows))
            self.emitted = int(greatest[end])
            ends.append(end + 1)
            watermarks.append(self.current)
        start = ends[-1]
        before[:start] = np.repeat(watermarks[:-1], np.diff(ends))
        # next_row[i]: the first row that emits a watermark when that of row i is the last one.
        next_row = np.searchsorted(greatest, greatest + self._interval, side="right").tolist()
        row = start - 1
        emitting = []
        while row < rows:
            emitting.append(row)
            row = next_row[row]
        at = np.array(emitting, np.int64)
        before[start:] = greatest[at[np.searchsorted(at, np.arange(start, rows), side="left") - 1]]
        self.emitted = int(greatest[at[-1]])
        return before
