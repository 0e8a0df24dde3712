"""Which windows times are in, against counting them out one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.steps.window_table_function import AlignedWindows, CumulateWindows, HopWindows, TumbleWindows

TIMES = [-25, -10, -1, 0, 1, 9, 10, 11, 37, 1_586_937_900_000]


def found(windows: AlignedWindows, times: list[int]) -> list[tuple[int, int, int]]:
    rows, starts, ends = windows.assign(pa.array(times, pa.int64()))
    positions = range(len(times)) if rows is None else rows.to_pylist()
    return list(zip(positions, starts.to_pylist(), ends.to_pylist(), strict=True))


def sliding(time: int, slide: int, size: int, offset: int) -> Iterator[tuple[int, int]]:
    start = (time - offset) // slide * slide + offset
    while start > time - size:
        yield start, start + size
        start -= slide


def growing(time: int, step: int, size: int, offset: int) -> Iterator[tuple[int, int]]:
    start = (time - offset) // size * size + offset
    yield from ((start, end) for end in range(start + step, start + size + 1, step) if end > time)


@pytest.mark.parametrize("offset", [0, 3, -4, 25])
@pytest.mark.parametrize(("slide", "size"), [(5, 10), (4, 10), (10, 10), (10, 4), (1, 7)])
def test_hopping_windows_hold_the_time(slide: int, size: int, offset: int) -> None:
    expected = [(i, *window) for i, time in enumerate(TIMES) for window in sliding(time, slide, size, offset)]
    assert found(HopWindows(slide, size, offset), TIMES) == expected


@pytest.mark.parametrize("offset", [0, 3, -4])
@pytest.mark.parametrize(("step", "size"), [(2, 10), (10, 10), (1, 3)])
def test_cumulating_windows_hold_the_time_and_end_at_steps(step: int, size: int, offset: int) -> None:
    expected = [(i, *window) for i, time in enumerate(TIMES) for window in growing(time, step, size, offset)]
    assert found(CumulateWindows(step, size, offset), TIMES) == expected


@pytest.mark.parametrize("offset", [0, 3, -4])
def test_a_tumbling_window_is_a_hopping_one_that_does_not_overlap(offset: int) -> None:
    assert found(TumbleWindows(10, offset), TIMES) == found(HopWindows(10, 10, offset), TIMES)


@pytest.mark.parametrize("windows", [TumbleWindows(10), HopWindows(5, 10), CumulateWindows(5, 10)])
def test_no_times_have_no_windows(windows: Any) -> None:
    assert found(windows, []) == []


@pytest.mark.parametrize(
    ("windows", "most"), [(TumbleWindows(10), 1), (HopWindows(4, 10), 3), (HopWindows(10, 4), 1), (CumulateWindows(2, 10), 5)]
)
def test_no_time_is_in_more_windows_than_announced(windows: Any, most: int) -> None:
    assert windows.most == most
    assert max(len(found(windows, [time])) for time in range(-30, 30)) == most
