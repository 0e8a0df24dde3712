"""Tests for table_runtime.streaming.time.input_watermarks."""

from __future__ import annotations

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.time.input_watermarks import InputWatermarks
from table_runtime.streaming.time.watermarks import END_OF_TIME


def test_the_least_watermark_rises_with_the_last_input() -> None:
    inputs = InputWatermarks(range(2))
    inputs.advance(0, 5)
    assert inputs.least == NO_WATERMARK
    inputs.advance(1, 7)
    inputs.advance(0, 3)
    assert (inputs.least, dict(inputs.values())) == (5, {0: 5, 1: 7})
    inputs.advance(0, END_OF_TIME)
    assert inputs.least == 7


def test_an_idle_input_holds_nobody_back() -> None:
    inputs = InputWatermarks(range(2))
    inputs.advance(0, 5)
    inputs.set_idle(1, True)
    assert (inputs.least, inputs.is_idle, inputs.has_been_idle) == (5, False, True)
    inputs.advance(0, 9)
    assert (inputs.least, inputs.least_of([1]), inputs.least_of([0, 1])) == (9, END_OF_TIME, 9)


def test_an_input_that_is_active_again_does_not_lower_the_watermark() -> None:
    inputs = InputWatermarks(range(2))
    inputs.advance(0, 9)
    inputs.set_idle(1, True)
    inputs.advance(1, 4)
    assert inputs.least == 9
    inputs.advance(0, 20)
    assert inputs.least == 9
    inputs.advance(1, 12)
    assert inputs.least == 12


def test_if_all_inputs_are_idle_the_watermark_stays() -> None:
    inputs = InputWatermarks(range(2))
    inputs.advance(0, 9)
    inputs.advance(1, 4)
    inputs.set_idle(0, True)
    inputs.set_idle(1, True)
    assert (inputs.least, inputs.is_idle) == (4, True)
    inputs.set_idle(0, False)
    assert (inputs.least, inputs.is_idle) == (9, False)


def test_splits_come_and_end() -> None:
    splits: InputWatermarks[str] = InputWatermarks()
    assert not splits.is_idle
    splits.advance("a", 9)
    splits.advance("b", 4)
    assert (splits.least, splits.others("b")) == (9, ["a"])  # it never decreases
    splits.advance("a", 30)
    splits.remove("b")
    assert splits.least == 30
    splits.remove("a")
    assert (splits.least, splits.is_idle) == (30, False)


def test_saved_watermarks_are_those_of_active_inputs() -> None:
    inputs = InputWatermarks(range(2))
    inputs.restore(9, {0: 9, 1: 4})
    assert (inputs.least, inputs.has_been_idle) == (9, True)
    inputs.advance(0, 20)
    assert inputs.least == 9
