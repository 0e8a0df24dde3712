"""The windows of a row as one number: from the first one that takes the row to the last one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from table_runtime.steps.window_table_function import AlignedWindows
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.changes.segments import Integers


# Differs from Flink: windows over TIMESTAMP_LTZ have all their rows in zones whose offset is no multiple of the size, such as Kolkata; Flink 2.3 loses some.
class WindowSpans:
    """Spans of windows of event time. A span is a number made of the first window's number and of how many windows follow it.

    ``time`` is the column with the row's time. ``last_milliseconds`` returns, for window ends, the last millisecond of the window as an instant;
    None: windows are not on local clocks, and it is the one before the end. Where local clocks are set, windows may end out of order.
    """

    def __init__(self, windows: AlignedWindows, time: TimeColumn, last_milliseconds: Callable[[pa.Array], Times] | None) -> None:
        self._windows = windows
        self._time = time
        self._last_milliseconds = last_milliseconds
        self.most = windows.most

    @staticmethod
    def can_number(windows: AlignedWindows) -> bool:
        """Whether the spans of these windows fit into 64 bits, for all times that fit into 64 bits of microseconds."""
        greatest, _ = windows.numbers(np.array([1 << 54]))
        return int(greatest[0]) < (1 << 62) // windows.most

    def windows_of(self, times: pa.Array) -> tuple[Integers, Integers]:
        """Returns the numbers of the first and the last window of each time."""
        return self._windows.numbers(np.asarray(self._time.milliseconds(times)))

    def spans(self, first: Integers, last: Integers) -> Integers:
        """Returns the spans from some windows to others."""
        return first if self.most == 1 else first * self.most + (last - first)

    def first(self, spans: Integers) -> Integers:
        """Returns the first window of each span."""
        return spans // self.most

    def last(self, spans: Integers) -> Integers:
        """Returns the last window of each span."""
        return spans // self.most + spans % self.most

    def ends(self, windows: Integers) -> Times:
        """Returns the last millisecond of each window in event time."""
        _, ends = self._windows.bounds(windows)
        if self._last_milliseconds is None:
            return ends - 1
        return self._last_milliseconds(pa.array(ends, pa.timestamp("ms")).cast(pa.timestamp("us")))

    def columns(self, windows: Integers) -> list[pa.Array]:
        """Returns the columns window_start, window_end and window_time of some windows."""
        starts, ends = self._windows.bounds(windows)
        return self._time.window_columns(pa.array(starts), pa.array(ends))

    def is_uneven(self, spans: Integers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Returns in which spans windows may end in another order than that of their numbers, because local clocks are set in between."""
        if self._last_milliseconds is None or self.most == 1:
            return np.zeros(len(spans), np.bool_)
        first, last = self.first(spans), self.last(spans)
        _, first_ends = self._windows.bounds(first)
        _, last_ends = self._windows.bounds(last)
        return np.asarray(self.ends(last) - self.ends(first) != last_ends - first_ends)

    def first_after(self, first: Integers, last: Integers, watermarks: Times) -> Integers:
        """Returns the first window of each span whose last millisecond is after a watermark; the one after the last, if there is none."""
        low, high = first.copy(), last + 1
        for _ in range(self.most.bit_length()):
            middle = (low + high) // 2
            is_over = (self.ends(middle) <= watermarks) & (low < high)
            low = np.where(is_over, middle + 1, low)
            high = np.where(is_over, high, middle)
        return low

    def covered(self, spans: Integers) -> Integers:
        """Returns the windows of some spans, ascending."""
        order = np.argsort(spans, kind="stable")
        first = self.first(spans[order])
        last = np.maximum.accumulate(self.last(spans[order]))
        starts = np.maximum(first, np.append(first[:1], last[:-1] + 1))
        counts = np.maximum(last - starts + 1, 0)
        return np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
