"""Dates, times, timestamps and intervals; the expected results are Flink's."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import arithmetic, math
from table_common.functions.builtin import temporal as fn
from table_common.types.symbols import TimeUnit
from table_runtime.casts.from_text import parse_time, parse_timestamp
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions import Evaluator

_HOUR = 3_600_000_000_000
_DAY = 24 * _HOUR


def at(text: str, precision: int = 3) -> tuple[int | None, str]:
    """Returns a TIMESTAMP."""
    return parse_timestamp(text), f"TIMESTAMP({precision})"


def instant(text: str) -> tuple[int | None, str]:
    """Returns a TIMESTAMP_LTZ that is written in UTC."""
    return parse_timestamp(text), "TIMESTAMP_LTZ(3)"


_LEAP = at("2020-02-29 13:14:15.678")


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (fn.YEAR, (date(1969, 12, 31),), 1969),
        (fn.DAYOFWEEK, (date(1969, 12, 31),), 4),
        (fn.EXTRACT, (TimeUnit.ISOYEAR, date(2021, 1, 3)), 2020),
        (fn.EXTRACT, (TimeUnit.EPOCH, date(2021, 1, 3)), 1609632000),
        (fn.EXTRACT, (TimeUnit.HOUR, date(2021, 1, 3)), 0),
        (fn.HOUR, ((parse_time("23:59:58"), "TIME(0)"),), 23),
        (fn.EXTRACT, (TimeUnit.MONTH, (17, "INTERVAL MONTH")), 5),
        (fn.EXTRACT, (TimeUnit.DAY, (3 * _DAY + 5 * _HOUR, "INTERVAL SECOND(3)")), 3),
        (fn.DATE_FORMAT, (_LEAP, "yyyy-MM-dd"), "2020-02-29"),
        (fn.DATE_FORMAT, (_LEAP, "hh:mm a"), "01:14 PM"),
        (fn.DATE_FORMAT, (_LEAP, "yy/M/d H:m:s 'o''clock'"), "20/2/29 13:14:15 o'clock"),
        (fn.DATE_FORMAT, (_LEAP, "EEEE QQQ D SSS"), "Saturday Q1 60 678"),
        (fn.DATE_FORMAT, ("not a date", "yyyy"), None),
        (fn.TO_DATE, ("2020-1-2",), "2020-01-02"),
        (fn.TO_DATE, ("20200229", "yyyyMMdd"), "2020-02-29"),
        (fn.TO_DATE, ("bad",), None),
        (fn.TO_TIMESTAMP, ("2020-02-29",), "2020-02-29 00:00:00.000"),
        (fn.TO_TIMESTAMP, ("2020/02/29 01", "yyyy/MM/dd HH"), "2020-02-29 01:00:00.000"),
        (fn.TO_TIMESTAMP, ("2020-02-29T12:34:56",), None),
        (fn.TO_TIMESTAMP, ("29 Feb 2020 1 PM", "dd MMM yyyy h a"), "2020-02-29 13:00:00.000"),
        (fn.TO_TIMESTAMP_LTZ, (1000,), "1970-01-01 00:00:01.000"),
        (fn.TO_TIMESTAMP_LTZ, ("2020-01-01 00:00:00", "yyyy-MM-dd HH:mm:ss", "Asia/Tokyo"), "2019-12-31 15:00:00.000"),
        (fn.FROM_UNIXTIME, (-1,), "1969-12-31 23:59:59"),
        (fn.FROM_UNIXTIME, (1600000000, "EEE HH:mm"), "Sun 12:26"),
        (fn.UNIX_TIMESTAMP, ("1970-01-01 08:00:01.001 +0800", "yyyy-MM-dd HH:mm:ss.SSS X"), 1),
        (fn.UNIX_TIMESTAMP, ("bad",), -(2**63)),
        (fn.CONVERT_TZ, ("2020-07-01 12:00:00", "America/Los_Angeles", "UTC"), "2020-07-01 19:00:00"),
        (fn.CONVERT_TZ, ("2020-01-01 00:00:00", "UTC", "Nope/Zone"), "2020-01-01 00:00:00"),
        (fn.TIMESTAMPADD, (TimeUnit.YEAR, -1, _LEAP), "2019-02-28 13:14:15.678"),
        (fn.TIMESTAMPADD, (TimeUnit.WEEK, -1, _LEAP), "2020-02-22 13:14:15.678"),
        (fn.TIMESTAMPADD, (TimeUnit.DAY, 1, date(2020, 2, 28)), "2020-02-29"),
        (fn.TIMESTAMPDIFF, (TimeUnit.MONTH, at("2020-01-31 10:00:00"), at("2021-03-01 09:59:59")), 13),
        (fn.TIMESTAMPDIFF, (TimeUnit.DAY, at("2020-01-31 10:00:00"), at("2021-03-01 09:59:59")), 394),
        (fn.TIMESTAMPDIFF, (TimeUnit.MONTH, date(2020, 1, 31), date(2020, 2, 29)), 1),
        (fn.TIMESTAMPDIFF, (TimeUnit.DAY, date(2020, 3, 1), date(2020, 2, 1)), -29),
        (math.FLOOR, (_LEAP, TimeUnit.WEEK), "2020-02-23 00:00:00.000"),
        (math.FLOOR, (_LEAP, TimeUnit.MINUTE), "2020-02-29 13:14:00.000"),
        (math.CEIL, (_LEAP, TimeUnit.YEAR), "2021-01-01 00:00:00.000"),
        (math.CEIL, (date(2020, 2, 29), TimeUnit.DECADE), "2030-01-01"),
        (math.FLOOR, (date(2020, 2, 29), TimeUnit.CENTURY), "2001-01-01"),
        (math.FLOOR, ((parse_time("12:44:31"), "TIME(0)"), TimeUnit.HOUR), "12:00:00"),
        (arithmetic.PLUS, (date(2020, 1, 31), (1, "INTERVAL MONTH")), "2020-02-29"),
        (arithmetic.MINUS, (date(2020, 3, 31), (1, "INTERVAL MONTH")), "2020-02-29"),
        (arithmetic.PLUS, ((_DAY, "INTERVAL SECOND(3)"), date(2020, 1, 1)), "2020-01-02"),
        (arithmetic.PLUS, ((parse_time("23:30:00"), "TIME(0)"), (_HOUR, "INTERVAL SECOND(3)")), "00:30:00"),
        (arithmetic.PLUS, (at("2020-01-01 00:00:00"), (_HOUR, "INTERVAL SECOND(3)")), "2020-01-01 01:00:00.000"),
        (arithmetic.PLUS, ((_DAY, "INTERVAL SECOND(3)"), (2 * _HOUR, "INTERVAL SECOND(3)")), "+1 02:00:00.000"),
        (arithmetic.TIMES, ((_HOUR, "INTERVAL SECOND(3)"), 3), "+0 03:00:00.000"),
        (arithmetic.NEGATE, ((_DAY, "INTERVAL SECOND(3)"),), "-1 00:00:00.000"),
        (arithmetic.MINUS_DATETIME, (date(2020, 3, 1), date(2020, 2, 1), TimeUnit.DAY), "+29 00:00:00.000"),
        (arithmetic.MINUS_DATETIME, (at("2020-03-02 00:00:00"), at("2020-01-01 00:00:00"), TimeUnit.MONTH), "+0-02"),
        (arithmetic.OVERLAPS, (date(2020, 1, 1), date(2020, 1, 5), date(2020, 1, 4), date(2020, 1, 9)), True),
        (arithmetic.OVERLAPS, (date(2020, 1, 1), (_DAY, "INTERVAL SECOND(3)"), date(2020, 1, 4), (_DAY, "INTERVAL SECOND(3)")), False),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    # A date plus an interval that is not a constant is a timestamp, because nobody knows whether it is whole days.
    assert outcome(function, *args, columns=function is not arithmetic.PLUS) == expected


def test_to_timestamp_ltz_of_text_that_does_not_match_its_pattern_is_null_and_an_error_without_a_pattern(outcome: Any) -> None:
    assert outcome(fn.TO_TIMESTAMP_LTZ, "bad", "yyyy-MM-dd") is None
    with pytest.raises(TableRuntimeException, match="cannot read 'bad'"):
        outcome(fn.TO_TIMESTAMP_LTZ, "bad")


def test_an_instant_is_rounded_in_the_session_s_zone(outcome: Any) -> None:
    assert outcome(math.FLOOR, instant("1970-01-01 00:00:00"), TimeUnit.DAY, zone="America/Los_Angeles") == "1969-12-31 00:00:00.000"


@pytest.mark.parametrize(
    ("function", "zone", "expected"),
    [
        (fn.CURRENT_TIMESTAMP, "UTC", "2020-09-13 12:26:40.123"),
        (fn.LOCALTIMESTAMP, "Asia/Tokyo", "2020-09-13 21:26:40.123"),
        (fn.CURRENT_DATE, "Pacific/Auckland", "2020-09-14"),
        (fn.LOCALTIME, "UTC", "12:26:40"),
        (fn.UNIX_TIMESTAMP, "UTC", 1600000000),
    ],
)
def test_clocks_show_the_query_s_start(outcome: Any, function: Any, zone: str, expected: Any) -> None:
    assert outcome(function, zone=zone) == expected


def test_a_pattern_letter_without_meaning_is_refused(outcome: Any) -> None:
    with pytest.raises(TableRuntimeException, match="letter 'b'"):
        outcome(fn.DATE_FORMAT, _LEAP, "bbb")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("type_", ["TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(3)", "TIMESTAMP(9)"])
@pytest.mark.parametrize("pattern", ["yyyy-MM-dd", "HH:mm", "dd/MM/yyyy HH'h'", "yyyy-MM-dd HH:mm:ss", "MM", "'fixed'"])
def test_many_times_are_formatted_as_each_alone(expressions: Any, zone: str, type_: str, pattern: str) -> None:
    """The distinct days or minutes of many times are formatted once."""
    chance = random.Random(7)
    unit = {"3": "ms", "6": "us", "9": "ns"}[type_[-2]]
    ticks = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[unit]
    seconds = [0, -1, 1, -86_400, 86_399, 1_604_210_400, *(chance.randrange(-(10**9), 2 * 10**9) for _ in range(100))]
    if unit != "ns":
        seconds += [-62_135_596_800 + 86_400, 253_402_214_400]  # the years 1 and 9999
    values = [None, *(second * ticks + chance.randrange(ticks) for second in chance.choices(seconds, k=400))]
    times = pa.array(values, pa.int64()).cast(pa.timestamp(unit, "UTC" if "LTZ" in type_ else None))
    call = expressions.call(fn.DATE_FORMAT, expressions.column(0, type_), pattern)
    evaluator = Evaluator([call], EvaluationContext(time_zone=zone, query_start=0))
    (together,) = evaluator.evaluate(pa.record_batch({"f0": times}))
    alone = [evaluator.evaluate(pa.record_batch({"f0": times.slice(row, 1)}))[0][0].as_py() for row in range(len(times))]
    assert together.to_pylist() == alone
    assert alone[0] is None


@pytest.mark.parametrize(
    "first", ["0001-01-01 00:00:00", "1969-12-31 23:59:00", "1970-01-01 00:00:00", "2024-02-29 12:34:00", "9999-12-31 23:59:00"]
)
@pytest.mark.parametrize(("pattern", "part"), [("yyyy-MM-dd", slice(10)), ("HH:mm", slice(11, 16))])
def test_many_times_of_one_day_or_minute_have_its_text(expressions: Any, first: str, pattern: str, part: slice) -> None:
    begin = pa.array([first]).cast(pa.timestamp("us")).view(pa.int64())[0].as_py()
    times = pa.array([begin + number % 60_000_000 for number in range(0, 10**9, 999_983)]).view(pa.timestamp("us"))
    call = expressions.call(fn.DATE_FORMAT, expressions.column(0, "TIMESTAMP(6)"), pattern)
    (texts,) = Evaluator([call], EvaluationContext(time_zone="UTC", query_start=0)).evaluate(pa.record_batch({"f0": times}))
    assert texts.to_pylist() == [first[part]] * len(times)
