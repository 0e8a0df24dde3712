"""Rows until Ctrl-C."""

from __future__ import annotations

import io
import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest

from table_api.rendering import UntilInterrupted, flushing


@pytest.fixture(autouse=True)
def _ctrl_c_interrupts() -> Iterator[None]:
    """Lets SIGINT raise KeyboardInterrupt: a shell starts background jobs with the signal ignored, and Python then leaves it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupted_at(position: int) -> Iterator[int]:
    for number in range(10):
        if number == position:
            signal.raise_signal(signal.SIGINT)
        yield number


def test_ctrl_c_while_it_waits_ends_the_items() -> None:
    with UntilInterrupted(_interrupted_at(3)) as items:
        assert list(items) == [0, 1, 2]
        assert items.is_interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_between_two_items_ends_them_and_interrupts_nothing() -> None:
    with UntilInterrupted(iter(range(10))) as items:
        assert next(items) == 0
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert list(items) == []
        assert items.is_interrupted


def test_ctrl_c_that_the_items_lose_ends_them_before_the_next_one() -> None:
    def losing() -> Iterator[int]:
        for number in range(10):
            if number == 3:
                with suppress(BaseException):
                    signal.raise_signal(signal.SIGINT)
            yield number

    with UntilInterrupted(losing()) as items:
        assert list(items) == [0, 1, 2, 3]
        assert items.is_interrupted


def test_ctrl_c_interrupts_what_is_done_with_an_item_if_it_may() -> None:
    with UntilInterrupted(iter(range(3)), at_once=True) as items:
        assert next(items) == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert items.is_interrupted


def test_the_handler_of_a_program_stays() -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        with UntilInterrupted(iter(range(3))) as items:
            signal.raise_signal(signal.SIGINT)
            assert list(items) == [0, 1, 2]
    finally:
        signal.signal(signal.SIGINT, before)
    assert received == [signal.SIGINT]


def test_each_write_is_flushed() -> None:
    class Output(io.StringIO):
        flushes = 0

        def flush(self) -> None:
            self.flushes += 1

    output = Output()
    shown = flushing(output)
    shown.write("a")
    shown.writelines(["b", "c"])
    assert (output.getvalue(), output.flushes) == ("abc", 3)
    assert not shown.isatty()
