from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from table_common.connector import CacheReloadTrigger, PeriodicCacheReloadTrigger, TimedCacheReloadTrigger
from table_common.exceptions import ValidationException

LOADED = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def test_a_periodic_trigger_counts_from_the_last_time() -> None:
    assert PeriodicCacheReloadTrigger(timedelta(hours=1)).next_reload(LOADED) == datetime(2024, 5, 1, 13, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "days", "expected"), [("13:30", 1, "2024-05-01T13:30"), ("11:00", 1, "2024-05-02T11:00"), ("11:00", 3, "2024-05-04T11:00")]
)
def test_a_timed_trigger_uses_the_next_time_of_day(at: str, days: int, expected: str) -> None:
    trigger = TimedCacheReloadTrigger(time.fromisoformat(at), days)
    assert trigger.next_reload(LOADED) == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_a_timed_trigger_knows_offsets() -> None:
    trigger = TimedCacheReloadTrigger(time.fromisoformat("13:30+02:00"))
    assert trigger.next_reload(LOADED) == datetime(2024, 5, 2, 11, 30, tzinfo=UTC)


def test_options_make_a_trigger() -> None:
    assert CacheReloadTrigger.from_options({}) is None
    assert CacheReloadTrigger.from_options({"lookup.full-cache.periodic-reload.interval": "5 min"}) == PeriodicCacheReloadTrigger(
        timedelta(minutes=5)
    )
    timed = {"lookup.full-cache.reload-strategy": "TIMED", "lookup.full-cache.timed-reload.iso-time": "10:15"}
    assert CacheReloadTrigger.from_options(timed) == TimedCacheReloadTrigger(time(10, 15))


def test_a_time_of_the_day_that_is_none_is_refused() -> None:
    with pytest.raises(ValidationException, match="'10:15' or"):
        CacheReloadTrigger.from_options(
            {"lookup.full-cache.reload-strategy": "TIMED", "lookup.full-cache.timed-reload.iso-time": "quarter past"}
        )
