"""EXTRACT; the expected results are Flink's."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException
from table_common.functions.builtin import temporal as fn
from table_common.types import parse_logical_type
from table_common.types.symbols import TimeUnit
from table_runtime.casts.from_text import parse_time, parse_timestamp
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.fields import extract

_DAY = 86_400 * 10**9
_LEAP = parse_timestamp("2020-02-29 13:14:15.678"), "TIMESTAMP(3)"


def instant(text: str) -> tuple[int | None, str]:
    """Returns a TIMESTAMP_LTZ that is written in UTC."""
    return parse_timestamp(text), "TIMESTAMP_LTZ(3)"


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (TimeUnit.MILLENNIUM, 3),
        (TimeUnit.CENTURY, 21),
        (TimeUnit.DECADE, 202),
        (TimeUnit.YEAR, 2020),
        (TimeUnit.QUARTER, 1),
        (TimeUnit.MONTH, 2),
        (TimeUnit.WEEK, 9),
        (TimeUnit.DAY, 29),
        (TimeUnit.DOW, 7),
        (TimeUnit.ISODOW, 6),
        (TimeUnit.DOY, 60),
        (TimeUnit.HOUR, 13),
        (TimeUnit.MINUTE, 14),
        (TimeUnit.SECOND, 15),
        (TimeUnit.MILLISECOND, 678),
        (TimeUnit.NANOSECOND, 678_000_000),
        (TimeUnit.EPOCH, 1582982055),
    ],
)
def test_extract_of_a_timestamp(outcome: Any, unit: TimeUnit, expected: int) -> None:
    assert outcome(fn.EXTRACT, unit, _LEAP) == expected


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 0), ("Asia/Shanghai", 8), ("America/Los_Angeles", 16)])
def test_fields_of_an_instant_are_those_of_the_session_s_zone(outcome: Any, zone: str, hour: int) -> None:
    assert outcome(fn.HOUR, instant("1970-01-01 00:00:00"), zone=zone) == hour


@pytest.mark.parametrize(
    ("unit", "value", "expected"),
    [
        (TimeUnit.SECOND, (parse_timestamp("1969-12-31 23:59:59.250"), "TIMESTAMP(3)"), 59),
        (TimeUnit.MILLISECOND, (parse_timestamp("1969-12-31 23:59:59.250"), "TIMESTAMP(3)"), 250),
        (TimeUnit.CENTURY, date(2000, 12, 31), 20),
        (TimeUnit.CENTURY, date(2001, 1, 1), 21),
        (TimeUnit.MILLENNIUM, date(2000, 1, 1), 2),
        (TimeUnit.DECADE, date(1999, 1, 1), 199),
        (TimeUnit.EPOCH, date(1969, 12, 31), -86_400),
        (TimeUnit.MINUTE, (parse_time("23:45:06"), "TIME(0)"), 45),
        (TimeUnit.YEAR, (-17, "INTERVAL MONTH"), -1),
        (TimeUnit.MONTH, (-17, "INTERVAL MONTH"), -5),
        (TimeUnit.DAY, (-3 * _DAY - 1, "INTERVAL SECOND(9)"), -3),
        (TimeUnit.YEAR, (None, "DATE"), None),
    ],
)
def test_fields_at_the_limits(outcome: Any, unit: TimeUnit, value: Any, expected: int | None) -> None:
    assert outcome(fn.EXTRACT, unit, value) == expected


@pytest.mark.parametrize(
    ("unit", "type_", "message"),
    [
        (TimeUnit.DAY, "INTERVAL MONTH", "An interval of months has no field DAY"),
        (TimeUnit.DOY, "INTERVAL SECOND(3)", "Values without a date"),
    ],
)
def test_a_field_that_values_do_not_have_is_refused(unit: TimeUnit, type_: str, message: str) -> None:
    values = pa.array([1], pa.int32() if "MONTH" in type_ else pa.duration("ms"))
    with pytest.raises(TableException, match=message):
        extract(unit, values, parse_logical_type(type_), EvaluationContext())
