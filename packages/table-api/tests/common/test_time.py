"""Durations, instants and times of ``pyflink.common``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from table_api.common import Duration, Instant, Time
from table_common.data import NanosecondDatetime


def test_durations_are_compared_by_length() -> None:
    assert Duration.of_days(1) == Duration.of_hours(24) == Duration.of_minutes(1440) == Duration.of_seconds(86_400)
    assert Duration.of_millis(2) == Duration.of_nanos(2_000_000)
    assert Duration.of_millis(2) < Duration.of_seconds(1)
    assert Duration.of_millis(1500).to_timedelta() == timedelta(seconds=1.5)


def test_instants_are_moments_of_utc() -> None:
    instant = Instant.of_epoch_milli(-1)
    assert (instant.seconds, instant.nanos, instant.to_epoch_milli()) == (-1, 999_000_000, -1)
    assert instant.to_datetime() == datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
    assert repr(Instant(1, 500_000_000)) == "Instant<1, 500000000>"
    assert Instant(1, 0) < Instant(1, 1)
    assert hash(Instant(1, 0)) == hash(Instant.of_epoch_milli(1000))


def test_instants_and_datetimes_are_converted_without_loss() -> None:
    moment = NanosecondDatetime(2024, 5, 1, 10, 0, 0, 1, tzinfo=UTC, nanosecond=7)
    assert Instant.of_datetime(moment).to_datetime() == moment
    assert Instant.of_datetime(datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))).to_datetime() == datetime(
        2024, 5, 1, 10, tzinfo=UTC
    )
    with pytest.raises(ValueError, match="needs a datetime with a time zone"):
        Instant.of_datetime(datetime(2024, 5, 1))


def test_times_are_milliseconds() -> None:
    times = [Time.milliseconds(1), Time.seconds(1), Time.minutes(1), Time.hours(1), Time.days(1)]
    assert [time.to_milliseconds() for time in times] == [1, 1000, 60_000, 3_600_000, 86_400_000]
    assert (str(Time.seconds(3)), repr(Time.seconds(3))) == ("3000 ms", "Time(3000)")
    assert len({Time.seconds(60), Time.minutes(1)}) == 1
