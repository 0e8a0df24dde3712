"""The kinds of windows of time: their arguments, and what plans show of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from table_api.operations import CumulateWindow, HopWindow, SessionWindow, TumbleWindow, WindowAssigner
from table_common.exceptions import ValidationException

MINUTE = 60_000


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (TumbleWindow(10 * MINUTE), "size=[10 min]"),
        (TumbleWindow(90_000, -1_500), "size=[90 s], offset=[-1500 ms]"),
        (HopWindow(3_600_000, 86_400_000), "slide=[1 h], size=[1 d]"),
        (CumulateWindow(2 * MINUTE, 10 * MINUTE), "step=[2 min], size=[10 min]"),
        (SessionWindow(1), "gap=[1 ms]"),
    ],
)
def test_a_window_shows_its_lengths_in_the_largest_unit(window: WindowAssigner, text: str) -> None:
    assert str(window) == text


def test_the_offset_is_the_only_argument_that_may_be_left_out() -> None:
    kinds: tuple[type[WindowAssigner], ...] = (TumbleWindow, HopWindow, CumulateWindow, SessionWindow)
    optional = {name for kind in kinds for name, is_required in kind.parameters() if not is_required}
    assert optional == {"OFFSET"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TumbleWindow(0), "The size of TUMBLE must be longer than 0, but is 0 ms."),
        (lambda: HopWindow(-1, 10), "The slide of HOP must be longer than 0, but is -1 ms."),
        (lambda: SessionWindow(-MINUTE), "The gap of SESSION must be longer than 0, but is -1 min."),
        (lambda: CumulateWindow(3, 10), "The size of CUMULATE must be a multiple of the step, but is 10 ms, the step 3 ms."),
        (lambda: TumbleWindow(10, -10), "The offset of TUMBLE must be shorter than the size, but is -10 ms, the size 10 ms."),
    ],
)
def test_lengths_that_make_no_windows_are_refused(make: Callable[[], WindowAssigner], message: str) -> None:
    with pytest.raises(ValidationException, match=re.escape(message)):
        make()


def test_a_slide_longer_than_the_size_is_fine() -> None:
    assert HopWindow(10, 4).size == 4


@pytest.mark.parametrize("kind", [HopWindow, CumulateWindow])
def test_a_row_may_not_be_in_millions_of_windows(kind: type[HopWindow] | type[CumulateWindow]) -> None:
    with pytest.raises(ValidationException, match=r"Each row would be in 1,000,001 windows of .*, but there may be 1,000,000"):
        kind(1_000, 1_000_001_000)
