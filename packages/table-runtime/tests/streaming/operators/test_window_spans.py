"""Spans of windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.steps.window_table_function import AlignedWindows, CumulateWindows, HopWindows, TumbleWindows
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.operators.window_spans import WindowSpans

TIME = TimeColumn(0, lambda values: values, lambda values: values)


def spans_of(windows: AlignedWindows) -> WindowSpans:
    return WindowSpans(windows, TIME, None)


@pytest.mark.parametrize("windows", [TumbleWindows(10, 3), HopWindows(4, 12), HopWindows(5, 12), CumulateWindows(3, 12)], ids=str)
def test_a_span_has_the_windows_of_a_time(windows: AlignedWindows) -> None:
    spans = spans_of(windows)
    times = np.arange(-30, 30)
    first, last = spans.windows_of(pa.array(times, pa.timestamp("ms")))
    numbers = spans.spans(first, last)
    assert spans.first(numbers).tolist() == first.tolist()
    assert spans.last(numbers).tolist() == last.tolist()
    assert not spans.is_uneven(numbers).any()
    for time, start, end in zip(times.tolist(), first, last, strict=True):
        _, _, ends = windows.assign(pa.array([time]))
        assert spans.ends(np.arange(start, end + 1)).tolist() == sorted(one - 1 for one in ends.to_pylist())


@pytest.mark.parametrize("most", range(1, 10))
def test_the_first_window_after_a_watermark(most: int) -> None:
    spans = spans_of(HopWindows(2, 2 * most))
    first = np.zeros(30, np.int64)
    watermarks = np.arange(30)
    expected = [next((window for window in range(most) if 2 * window + 2 * most - 1 > watermark), most) for watermark in range(30)]
    assert spans.first_after(first, first + most - 1, watermarks).tolist() == expected


def test_covered_windows_are_those_of_any_span() -> None:
    spans = spans_of(HopWindows(1, 5))
    numbers = spans.spans(np.array([7, -2, 0, 8, 20]), np.array([11, 0, 1, 9, 20]))
    assert spans.covered(numbers).tolist() == [-2, -1, 0, 1, 7, 8, 9, 10, 11, 20]
    assert spans.covered(numbers[:0]).tolist() == []


def test_clocks_that_are_set_make_spans_uneven() -> None:
    def last(ends: pa.Array) -> Any:
        clocks = ends.cast(pa.int64()).to_numpy() // 1000 - 1
        return np.where(clocks < 100, clocks, clocks - 20)

    spans = WindowSpans(HopWindows(10, 30), TIME, last)
    numbers = spans.spans(np.array([2, 6, 12]), np.array([4, 8, 14]))
    assert spans.is_uneven(numbers).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("windows", "can"),
    [(TumbleWindows(1), True), (HopWindows(1, 200), True), (HopWindows(1, 1_000_000), False), (HopWindows(1000, 86_400_000), True)],
)
def test_spans_of_very_many_windows_do_not_fit(windows: AlignedWindows, can: bool) -> None:
    assert WindowSpans.can_number(windows) is can


def test_columns_of_windows() -> None:
    start, end, time = spans_of(CumulateWindows(5, 10)).columns(np.array([0, 1]))
    assert [column.cast(pa.timestamp("ms")).cast(pa.int64()).to_pylist() for column in (start, end, time)] == [[0, 0], [5, 10], [4, 9]]
