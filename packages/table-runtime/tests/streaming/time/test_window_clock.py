"""Tests for table_runtime.streaming.time.window_clock: the instants at which windows end, compared with Flink's rule for timers, written for one time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_runtime.streaming.time.window_clock import WindowClock

HOUR = 3_600_000
EPOCH = datetime(1970, 1, 1)
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Adelaide", "Australia/Lord_Howe", "Asia/Kolkata", "+05:30", "UTC"]
CHANGES = {
    "Europe/Berlin": ["2026-03-29 01:00", "2026-10-25 01:00"],
    "America/New_York": ["2026-03-08 07:00", "2026-11-01 06:00"],
    "Australia/Adelaide": ["2026-04-04 16:30", "2026-10-03 16:30"],
    "Australia/Lord_Howe": ["2026-04-04 15:00", "2026-10-03 15:30"],
}


def milliseconds(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1)


def first_instant(local: int, zone: ZoneInfo) -> int:
    moment = (EPOCH + timedelta(milliseconds=local)).replace(tzinfo=zone)
    return (moment.astimezone(UTC).replace(tzinfo=None) - EPOCH) // timedelta(milliseconds=1)


def timer(local: int, zone: ZoneInfo) -> int:
    first, next_hour = first_instant(local, zone), first_instant(local + HOUR, zone)
    if next_hour - first > HOUR:
        return first + HOUR
    return first - first % HOUR if next_hour == first else first


@pytest.mark.parametrize(
    ("zone", "end", "instant"),
    [
        ("Europe/Berlin", "2026-10-25 02:00", "2026-10-24 23:59:59.999"),
        ("Europe/Berlin", "2026-10-25 03:00", "2026-10-25 01:59:59.999"),  # 02:59:59.999 occurs twice
        ("Europe/Berlin", "2026-10-25 04:00", "2026-10-25 02:59:59.999"),
        ("Europe/Berlin", "2026-03-29 02:00", "2026-03-29 00:59:59.999"),
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 01:00"),  # 02:29:59.999 is skipped
        ("Europe/Berlin", "2026-03-29 03:00", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-03-29 04:00", "2026-03-29 01:59:59.999"),
        ("America/New_York", "2026-11-01 02:00", "2026-11-01 06:59:59.999"),
        ("America/New_York", "2026-03-08 03:00", "2026-03-08 07:00"),
        ("Europe/Moscow", "2014-10-26 02:00", "2014-10-25 21:59:59.999"),  # no daylight-saving time today: the first of the two
        ("Asia/Kolkata", "2026-10-25 03:00", "2026-10-24 21:29:59.999"),
        ("UTC", "2026-10-25 03:00", "2026-10-25 02:59:59.999"),
        (None, "2026-10-25 03:00", "2026-10-25 02:59:59.999"),
    ],
)
def test_the_instant_at_which_a_window_is_over(zone: str | None, end: str, instant: str) -> None:
    assert WindowClock(zone).last_instants(np.array([milliseconds(end)])).tolist() == [milliseconds(instant)]


@pytest.mark.parametrize("zone", CHANGES)
def test_instants_around_changes_are_those_of_flinks_timers(zone: str) -> None:
    changes = [milliseconds(text) for text in CHANGES[zone]]
    offsets = np.arange(-20 * HOUR, 20 * HOUR, HOUR // 12)
    ends = np.concatenate([change + offsets for change in changes])
    assert WindowClock(zone).last_instants(ends).tolist() == [timer(end - 1, ZoneInfo(zone)) for end in ends.tolist()]


@pytest.mark.parametrize("zone", ZONES)
def test_windows_that_are_over_are_not_after_the_local_bound(zone: str) -> None:
    clock = WindowClock(zone)
    for change in [milliseconds(text) for text in CHANGES.get(zone, ["2026-10-25 01:00"])]:
        ends = change + np.arange(-20 * HOUR, 20 * HOUR, HOUR // 12)
        last = clock.last_instants(ends)
        for watermark in range(change - 5 * HOUR, change + 5 * HOUR, HOUR // 4):
            assert (ends[last <= watermark] - 1).max(initial=0) <= clock.local_bound(watermark)


@pytest.mark.parametrize("zone", ZONES)
def test_away_from_changes_no_later_window_is_over_earlier(zone: str) -> None:
    clock = WindowClock(zone)
    for change in [milliseconds(text) for text in CHANGES.get(zone, ["2026-10-25 01:00"])]:
        instants = change + np.arange(-30 * HOUR, 30 * HOUR, HOUR // 12)
        offset = (
            0
            if zone == "UTC"
            else milliseconds("2026-01-02 00:00") - int(clock.first_instants(np.array([milliseconds("2026-01-02 00:00")]))[0])
        )
        times = instants + offset
        least = np.minimum.accumulate(clock.last_instants(times + 1)[::-1])[::-1]
        assert ((least >= clock.first_instants(times)) | clock.are_near_changes(times)).all()
    assert clock.are_near_changes(np.array([milliseconds("2026-10-25 02:30")])).tolist() == [zone == "Europe/Berlin"]


def test_the_bounds_of_event_time_stay() -> None:
    assert [WindowClock("Europe/Berlin").local_bound(time) for time in (NO_WATERMARK, END_OF_TIME)] == [NO_WATERMARK, END_OF_TIME]
