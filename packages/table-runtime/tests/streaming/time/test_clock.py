from __future__ import annotations

from table_runtime.streaming.time import clock
from table_runtime.streaming.time.clock import RunClock


def test_the_time_stands_still_until_the_clock_is_read_again() -> None:
    times = iter([5, 9])
    run_clock = RunClock(lambda: next(times))
    assert (run_clock.now, run_clock.now, run_clock.nanoseconds()) == (5, 5, 5_000_000)
    assert (run_clock.advance(), run_clock.now) == (9, 9)


def test_the_time_never_goes_back() -> None:
    times = iter([9, 5, 10])
    run_clock = RunClock(lambda: next(times))
    assert [run_clock.advance() for _ in range(3)] == [9, 9, 10]


def test_the_system_clock_is_the_default() -> None:
    before = clock.processing_time()
    assert before <= RunClock().now <= clock.processing_time()
