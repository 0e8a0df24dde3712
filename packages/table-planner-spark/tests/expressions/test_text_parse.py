"""Strings cast to numbers, dates and times: the formats that Flink accepts."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from table_common.types import IntType, LocalZonedTimestampType, TimestampType, TimeType
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.expressions.text_parse import finer_digits, parse_date, parse_integer, parse_time, parse_timestamp

ValueOf = Callable[[str], Any]


@pytest.mark.parametrize(("text", "expected"), [("12", 12), (" 1.9 ", 1), ("-7.", -7), ("x", None), ("1e3", None)])
def test_an_integer_may_have_a_fraction_which_is_cut_off(value_of: ValueOf, text: str, expected: int | None) -> None:
    assert value_of(parse_integer(quote_text(text), IntType(), lenient=True)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-02-03", datetime.date(2020, 2, 3)),
        ("99-1", datetime.date(99, 1, 1)),
        ("2020-2-3 ignored", datetime.date(2020, 2, 3)),
        ("2020-02-30", None),
        ("2020-02-03T00:00:00", None),
    ],
)
def test_a_date_may_be_short_and_followed_by_a_time(value_of: ValueOf, text: str, expected: datetime.date | None) -> None:
    assert value_of(parse_date(quote_text(text), lenient=True)) == expected


@pytest.mark.needs_time
@pytest.mark.parametrize(
    ("text", "expected"), [("7", datetime.time(7)), ("7:08", datetime.time(7, 8)), ("07:08:09.5", datetime.time(7, 8, 9)), ("7h", None)]
)
def test_a_time_may_lack_minutes_and_seconds(value_of: ValueOf, text: str, expected: datetime.time | None) -> None:
    assert value_of(parse_time(quote_text(text), TimeType(0), lenient=True)) == expected


def test_digits_of_a_timestamp_beyond_its_precision_are_cut_off(value_of: ValueOf) -> None:
    text = parse_timestamp("'2020-1-2 3:4:5.6789'", TimestampType(2), lenient=True)
    assert value_of(text) == datetime.datetime(2020, 1, 2, 3, 4, 5, 670_000)


def test_a_timestamp_of_nanoseconds_is_a_number(value_of: ValueOf) -> None:
    assert value_of(parse_timestamp("'1970-01-01 00:00:01.000000002'", TimestampType(9), lenient=True)) == 1_000_000_002


def test_an_instant_is_read_in_the_time_zone_of_the_session() -> None:
    assert "AS TIMESTAMP_LTZ" in parse_timestamp("`a`", LocalZonedTimestampType(6), lenient=False)


def test_only_a_lenient_cast_returns_null_for_a_text_that_it_cannot_read() -> None:
    assert "raise_error(concat('The text \\'', `a`, '\\' cannot be cast to DATE.'))" in parse_date("`a`", lenient=False).replace(
        "substring_index(trim(`a`), ' ', 1)", "`a`"
    )
    assert "raise_error" not in parse_date("`a`", lenient=True)


@pytest.mark.parametrize(
    ("text", "precision", "expected"), [("0.123456789", 9, 789), ("0.123456789", 7, 700), ("0.12", 9, 0), ("none", 9, 0)]
)
def test_finer_digits_are_nanoseconds(value_of: ValueOf, text: str, precision: int, expected: int) -> None:
    assert value_of(finer_digits(quote_text(text), TimestampType(precision))) == expected
