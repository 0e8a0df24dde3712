from __future__ import annotations

import pytest

from table_runtime.streaming.job.in_process import clock_jumps
from table_runtime.streaming.job.in_process.clock_jumps import ClockJumps
from table_runtime.streaming.time.clock import RunClock

HOUR = 3_600_000


class Times:
    """The system's clock in milliseconds, and the seconds since the machine's start."""

    def __init__(self) -> None:
        self.wall = 1_700_000_000_000
        self.uptime = 100.0

    def pass_seconds(self, seconds: float) -> None:
        self.wall += int(1000 * seconds)
        self.uptime += seconds


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Times:
    result = Times()
    monkeypatch.setattr(clock_jumps, "processing_time", lambda: result.wall)
    monkeypatch.setattr(clock_jumps.time, "monotonic", lambda: result.uptime)
    return result


def jumps_of(times: Times, least: int | None = None) -> ClockJumps:
    clock = RunClock(lambda: times.wall)
    if least is not None:
        clock.set_least(least)
    clock.advance()
    return ClockJumps(clock, "totals")


def test_a_clock_that_goes_on_is_not_spoken_of(times: Times) -> None:
    jumps = jumps_of(times)
    for seconds in (0, 1, 0.1, 500, 3):
        times.pass_seconds(seconds)
        times.wall += 900  # it is set right
        assert jumps.look() is None


def test_a_jump_is_told_once(times: Times, caplog: pytest.LogCaptureFixture) -> None:
    jumps = jumps_of(times)
    assert jumps.look() is None
    times.wall += HOUR
    times.pass_seconds(2)
    text = "Job totals: the system's clock jumped forward by 3,600 s. Windows of processing time and state that it has passed are over."
    assert jumps.look() == text
    assert text in caplog.text
    times.pass_seconds(2)
    assert jumps.look() is None


def test_a_clock_that_goes_back_says_until_when_time_stands_still(times: Times) -> None:
    jumps = jumps_of(times)
    jumps.look()
    times.wall -= HOUR
    times.pass_seconds(2)
    text = jumps.look()
    assert text is not None
    assert "went back by 3,600 s. Processing time stands still until it is 2023-11-14 22:13:20 UTC." in text
    assert "'execution.state-recovery.mode' = FRESH" in text


def test_a_run_that_continues_one_with_a_later_clock_says_so(times: Times) -> None:
    assert jumps_of(times, times.wall + 1000).look() is None
    text = jumps_of(times, times.wall + HOUR).look()
    assert text is not None
    assert "went back by 3,600 s. Processing time stands still until it is 2023-11-14 23:13:20 UTC." in text
