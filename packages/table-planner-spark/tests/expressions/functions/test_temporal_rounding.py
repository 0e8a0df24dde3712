"""FLOOR and CEIL of dates and times to a unit."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import TimeUnit
from table_common.types import DateType, LogicalType, TimestampType, TimeType
from table_planner_spark.expressions.functions.temporal_rounding import round_datetime

ValueOf = Callable[[str], Any]
MOMENT = "TIMESTAMP_NTZ'2023-05-10 11:22:33.5'"


@pytest.mark.parametrize(
    ("unit", "floor", "ceil"),
    [
        (TimeUnit.SECOND, "2023-05-10 11:22:33", "2023-05-10 11:22:34"),
        (TimeUnit.HOUR, "2023-05-10 11:00:00", "2023-05-10 12:00:00"),
        (TimeUnit.DAY, "2023-05-10 00:00:00", "2023-05-11 00:00:00"),
        (TimeUnit.WEEK, "2023-05-07 00:00:00", "2023-05-14 00:00:00"),
        (TimeUnit.QUARTER, "2023-04-01 00:00:00", "2023-07-01 00:00:00"),
        (TimeUnit.CENTURY, "2001-01-01 00:00:00", "2101-01-01 00:00:00"),
    ],
)
def test_a_timestamp_is_rounded_to_the_unit(value_of: ValueOf, unit: TimeUnit, floor: str, ceil: str) -> None:
    type_ = TimestampType(3)
    rounded = [value_of(round_datetime(name, MOMENT, type_, type_, unit)) for name in ("floor", "ceil")]
    assert rounded == [datetime.datetime.fromisoformat(floor), datetime.datetime.fromisoformat(ceil)]


def test_a_value_at_the_unit_is_not_rounded_up(value_of: ValueOf) -> None:
    type_, whole = TimestampType(3), "TIMESTAMP_NTZ'2023-01-01 00:00:00'"
    assert value_of(round_datetime("ceil", whole, type_, type_, TimeUnit.MONTH)) == datetime.datetime(2023, 1, 1)


@pytest.mark.parametrize(("name", "expected"), [("floor", 0), ("ceil", 1_000_000_000)])
def test_nanoseconds_count_when_a_timestamp_is_rounded_up(value_of: ValueOf, name: str, expected: int) -> None:
    assert value_of(round_datetime(name, "1L", TimestampType(9), TimestampType(9), TimeUnit.SECOND)) == expected


@pytest.mark.needs_time
def test_a_time_is_rounded_within_its_day(value_of: ValueOf) -> None:
    text = round_datetime("ceil", "TIME'23:30:00'", TimeType(0), TimeType(0), TimeUnit.HOUR)
    assert value_of(text) == datetime.time(0)


@pytest.mark.parametrize("type_", [DateType()])
def test_a_date_rounded_to_a_unit_within_the_day_stays_as_it_is(type_: LogicalType) -> None:
    assert round_datetime("ceil", "`d`", type_, type_, TimeUnit.HOUR) == "`d`"
