"""Conversions between Spark's temporal types and nanoseconds since 1970."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_common.types import LocalZonedTimestampType, TimestampType, TimeType
from table_planner_spark.expressions.temporal_encoding import (
    DAY_NANOS,
    convert_nanos,
    instant_to_utc,
    micros_of_interval,
    nanos_to_native,
    native_pair,
    native_to_nanos,
    to_nanos,
    to_native_timestamp,
    truncate_native,
    utc_to_instant,
)

ValueOf = Callable[[str], Any]
EPOCH = datetime.datetime(1970, 1, 1)


def test_an_instant_and_its_time_in_utc_do_not_depend_on_the_time_zone_of_the_session(value_of: ValueOf) -> None:
    assert value_of(instant_to_utc("timestamp_micros(1)")) == EPOCH.replace(microsecond=1)
    assert value_of(f"unix_micros({utc_to_instant(instant_to_utc('timestamp_micros(1)'))})") == 1


@pytest.mark.parametrize("micros", [-1_500_000, 0, 86_400_000_001])
def test_an_interval_is_its_microseconds(value_of: ValueOf, micros: int) -> None:
    assert value_of(micros_of_interval(f"({micros}L * INTERVAL '0.000001' SECOND)")) == micros


def test_nanoseconds_are_cut_down_to_microseconds_before_1970_too(value_of: ValueOf) -> None:
    assert value_of(nanos_to_native("-1L", TimestampType(9))) == EPOCH - datetime.timedelta(microseconds=1)


@pytest.mark.needs_time
def test_a_time_is_the_nanoseconds_since_midnight(value_of: ValueOf) -> None:
    assert value_of(native_to_nanos("TIME'00:00:01'", TimeType(0))) == 1_000_000_000
    assert value_of(nanos_to_native("1000000000L", TimeType(9))) == datetime.time(0, 0, 1)


def test_values_in_the_encoding_asked_for_stay_as_they_are() -> None:
    assert to_nanos("`a`", TimestampType(9)) == "`a`"
    assert to_native_timestamp("`a`", TimestampType(6)) == "`a`"
    assert truncate_native("`a`", TimestampType(6)) == "`a`"


def test_digits_beyond_the_precision_are_cut_off(value_of: ValueOf) -> None:
    assert value_of(convert_nanos("-1L", TimestampType(9), TimestampType(7))) == -100
    assert value_of(truncate_native("TIMESTAMP_NTZ'1970-01-01 00:00:00.99'", TimestampType(1))) == EPOCH.replace(microsecond=900_000)


def test_a_timestamp_as_a_time_loses_its_day(value_of: ValueOf) -> None:
    assert value_of(convert_nanos(f"({DAY_NANOS} + 5L)", TimestampType(9), TimeType(9))) == 5


def test_a_local_time_as_an_instant_keeps_its_nanoseconds(value_of: ValueOf) -> None:
    nine_hours = 9 * 3_600_000_000_000  # the session's time zone is Asia/Tokyo
    assert value_of(convert_nanos(f"{nine_hours + 7}L", TimestampType(9), LocalZonedTimestampType(9))) == 7


@pytest.mark.parametrize(("earlier", "later", "micros"), [(1, 1_000, 0), (0, 1_999, 1), (1_000, 1, 0), (1_999, 0, -1)])
def test_a_difference_in_microseconds_is_cut_towards_zero(value_of: ValueOf, earlier: int, later: int, micros: int) -> None:
    a, b = ((nanos_to_native(f"{nanos}L", TimestampType(9)), f"{nanos}L") for nanos in (earlier, later))
    first, second = native_pair(a, b)
    assert value_of(f"timestampdiff(MICROSECOND, {first}, {second})") == micros


@pytest.mark.parametrize("precision", range(6))
@pytest.mark.parametrize("micros", [1_234_567, -1, -1_000_000, -62_135_596_799_000_001, 253_402_300_799_999_999])
def test_timestamps_are_truncated_downwards(value_of: ValueOf, precision: int, micros: int) -> None:
    step = 10 ** (6 - precision)
    cut = EPOCH + datetime.timedelta(microseconds=micros // step * step)
    moment = EPOCH + datetime.timedelta(microseconds=micros)
    assert value_of(truncate_native(f"TIMESTAMP_NTZ'{moment}'", TimestampType(precision))) == cut
    instant = truncate_native(f"timestamp_micros({micros}L)", LocalZonedTimestampType(precision))
    assert value_of(f"unix_micros({instant})") == micros // step * step
