"""Casts between types of time; values are integers of the type's unit."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_runtime.casts import temporal
from table_runtime.casts.temporal import floor_ticks

DAY = 86_400
MINUS = "GMT-05:00"


@pytest.mark.parametrize(("size", "expected"), [(1, [-7, -1, 0, 7, None]), (5, [-10, -5, 0, 5, None]), (7, [-7, -7, 0, 7, None])])
def test_ticks_are_rounded_down_also_below_zero(size: int, expected: list[int | None]) -> None:
    assert floor_ticks(pa.array([-7, -1, 0, 7, None], pa.int64()), size).to_pylist() == expected


def test_a_lower_precision_truncates_downwards(apply: Any) -> None:
    # Microseconds to tenths of a second.
    values = [-1, 99_999, 100_000, None]
    assert apply(temporal.change_precision, "TIMESTAMP(6)", "TIMESTAMP(1)", values) == [-100_000, 0, 100_000, None]


def test_a_higher_precision_keeps_the_value(apply: Any) -> None:
    assert apply(temporal.change_precision, "TIMESTAMP(6)", "TIMESTAMP(9)", [-1, None]) == [-1_000, None]


def test_the_time_of_day_before_1970_is_positive(apply: Any) -> None:
    assert apply(temporal.timestamp_to_time, "TIMESTAMP(6)", "TIME(3)", [-1, 1_000, None]) == [DAY * 10**6 - 1_000, 1_000, None]


def test_the_date_before_1970_is_rounded_down(apply: Any) -> None:
    assert apply(temporal.timestamp_to_date, "TIMESTAMP(6)", "DATE", [-1, 0, DAY * 10**6, None]) == [-1, 0, 1, None]


def test_a_date_is_midnight(apply: Any) -> None:
    assert apply(temporal.date_to_timestamp, "DATE", "TIMESTAMP(6)", [-1, 2, None]) == [-DAY * 10**6, 2 * DAY * 10**6, None]


def test_a_date_is_midnight_of_the_session(apply: Any) -> None:
    assert apply(temporal.date_to_ltz, "DATE", "TIMESTAMP_LTZ(6)", [0, None], time_zone=MINUS) == [5 * 3600 * 10**6, None]


def test_a_time_is_a_time_of_the_first_day(apply: Any) -> None:
    assert apply(temporal.time_to_timestamp, "TIME(3)", "TIMESTAMP(6)", [1_500_000, None]) == [1_500_000, None]
    assert apply(temporal.time_to_ltz, "TIME(3)", "TIMESTAMP_LTZ(6)", [0], time_zone=MINUS) == [5 * 3600 * 10**6]


@pytest.mark.parametrize(("function", "target", "expected"), [("ltz_to_date", "DATE", -1), ("ltz_to_time", "TIME(0)", 19 * 3600 * 10**6)])
def test_fields_of_an_instant_are_those_of_the_session(apply: Any, function: str, target: str, expected: int) -> None:
    assert apply(getattr(temporal, function), "TIMESTAMP_LTZ(6)", target, [0, None], time_zone=MINUS) == [expected, None]


def test_local_times_and_instants_are_inverse(apply: Any) -> None:
    local = [0, 1_600_000_000_000_000, -1, None]
    instants = apply(temporal.timestamp_to_ltz, "TIMESTAMP(6)", "TIMESTAMP_LTZ(6)", local, time_zone="Asia/Kolkata")
    assert apply(temporal.ltz_to_timestamp, "TIMESTAMP_LTZ(6)", "TIMESTAMP(6)", instants, time_zone="Asia/Kolkata") == local
    assert instants[0] == -19_800 * 10**6


def test_an_integer_is_a_number_of_milliseconds(apply: Any) -> None:
    milliseconds = apply(temporal.integer_to_day_time, "BIGINT", "INTERVAL SECOND(3)", [1_500, -1, None])
    assert apply(temporal.day_time_to_integer, "INTERVAL SECOND(3)", "BIGINT", milliseconds) == [1_500, -1, None]
