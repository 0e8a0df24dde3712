"""Tests for table_runtime.sources.watermark_progress."""

from __future__ import annotations

import random

import numpy as np
import pytest

from table_runtime.sources import watermark_progress
from table_runtime.sources.watermark_progress import NO_WATERMARK, Watermarks


def row_by_row(values: list[int], interval: int) -> list[int]:
    """Returns the watermark before each row, and the one after the last row."""
    current = last = NO_WATERMARK
    before = []
    for value in values:
        before.append(last)
        current = max(current, value)
        if current - last > interval:
            last = current
    return [*before, last]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("interval", [0, 1, 7, 200])
@pytest.mark.parametrize("steps", [1, 2, 1024])
def test_watermarks_are_those_of_one_row_after_the_other_for_each_cut(
    interval: int, seed: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watermark_progress, "_FEW_STEPS", steps)
    chance = random.Random(seed)
    values = [chance.randrange(-300, 300) + (row * 7 if seed % 2 else 0) for row in range(200)]
    expected = row_by_row(values, interval)
    for size in (1, 3, 50, 200):
        progress, found = Watermarks(interval), list[int]()
        for start in range(0, len(values), size):
            found += progress.advance(np.array(values[start : start + size], np.int64)).tolist()
        assert [*found, progress.current] == expected


def test_no_rows_leave_event_time_as_it_is() -> None:
    progress = Watermarks(0)
    progress.advance(np.array([5], np.int64))
    assert progress.advance(np.array([], np.int64)).tolist() == []
    assert progress.current == 5


@pytest.mark.parametrize("start", [-10_000, -200, -1, 0, 1])
def test_watermarks_around_1970_are_watermarks(start: int) -> None:
    progress = Watermarks(200)
    values = np.array([start, start + 200, start + 201], np.int64)
    assert progress.advance(values).tolist() == [NO_WATERMARK, start, start]
    assert progress.current == start + 201


def test_a_value_that_is_unknown_moves_nothing() -> None:
    progress = Watermarks(0)
    assert progress.advance(np.array([NO_WATERMARK, 7, NO_WATERMARK, 8], np.int64)).tolist() == [NO_WATERMARK, NO_WATERMARK, 7, 7]
