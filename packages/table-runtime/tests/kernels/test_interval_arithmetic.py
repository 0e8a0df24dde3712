"""Intervals with dates, times and timestamps, one function at a time."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import arithmetic
from table_common.types.symbols import TimeUnit
from table_runtime.casts.from_text import parse_time, parse_timestamp
from table_runtime.kernels.interval_arithmetic import whole_months

HOUR = 3_600 * 10**9
DAY = 24 * HOUR
MONTH = (1, "INTERVAL MONTH")


def at(text: str) -> tuple[int | None, str]:
    return parse_timestamp(text), "TIMESTAMP(3)"


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (arithmetic.PLUS, (at("2020-01-31 23:59:59.999"), MONTH), "2020-02-29 23:59:59.999"),
        (arithmetic.MINUS, (at("1970-01-01 00:00:00"), (1_000_000, "INTERVAL SECOND(3)")), "1969-12-31 23:59:59.999"),
        (arithmetic.MINUS, ((parse_time("00:30:00"), "TIME(0)"), (HOUR, "INTERVAL SECOND(3)")), "23:30:00"),
        (arithmetic.PLUS, ((parse_time("12:00:00"), "TIME(0)"), MONTH), "12:00:00"),
        (arithmetic.PLUS, (MONTH, (11, "INTERVAL MONTH")), "+1-00"),
        (arithmetic.MINUS, (MONTH, (2, "INTERVAL MONTH")), "-0-01"),
        (arithmetic.MINUS, ((HOUR, "INTERVAL SECOND(3)"), (DAY, "INTERVAL SECOND(3)")), "-0 23:00:00.000"),
        (arithmetic.TIMES, ((-7, "INTERVAL MONTH"), 3), "-1-09"),
        (arithmetic.TIMES, ((HOUR, "INTERVAL SECOND(3)"), (None, "INT")), None),
        (arithmetic.PLUS, ((None, "TIMESTAMP(3)"), MONTH), None),
        (arithmetic.OVERLAPS, (date(2020, 1, 5), date(2020, 1, 1), date(2020, 1, 4), date(2020, 1, 9)), True),
        (arithmetic.OVERLAPS, (date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 2), date(2020, 1, 3)), True),
        (arithmetic.OVERLAPS, (date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 3), date(2020, 1, 4)), False),
        (arithmetic.MINUS_DATETIME, (at("2020-01-01 00:00:00"), at("2020-01-01 00:00:00.001"), TimeUnit.DAY), "-0 00:00:00.001"),
    ],
)
def test_arithmetic(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    assert outcome(function, *args, columns=function is not arithmetic.PLUS) == expected


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (arithmetic.PLUS, ((2**31 - 1, "INTERVAL MONTH"), MONTH)),
        (arithmetic.TIMES, ((2**31 - 1, "INTERVAL MONTH"), 2)),
        (arithmetic.TIMES, ((DAY, "INTERVAL SECOND(3)"), (2**62, "BIGINT"))),
    ],
)
def test_intervals_outside_of_their_range_are_an_error(outcome: Any, function: Any, args: Any) -> None:
    with pytest.raises(TableRuntimeException, match="outside the range"):
        outcome(function, *args)


@pytest.mark.parametrize(
    ("later", "earlier", "months"),
    [
        ("2020-03-31", "2020-02-29", 1),
        ("2020-02-29", "2020-01-31", 1),
        ("2020-02-28", "2020-01-31", 0),
        ("2020-01-31", "2020-03-01", -1),
        ("2021-01-01", "2020-01-01", 12),
    ],
)
def test_only_whole_months_count(later: str, earlier: str, months: int) -> None:
    columns = [pa.array([date.fromisoformat(text), None]).cast(pa.timestamp("us")) for text in (later, earlier)]
    assert whole_months(*columns, 2).to_pylist() == [months, None]
