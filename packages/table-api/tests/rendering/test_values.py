from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from table_api.rendering import render_value
from table_common.data import NanosecondDatetime, NanosecondTime, NanosecondTimedelta, Row
from table_common.types import parse_logical_type


@pytest.mark.parametrize(
    ("value", "data_type", "text"),
    [
        (True, "BOOLEAN", "TRUE"),
        (-5, "INT", "-5"),
        (Decimal("1.50"), "DECIMAL(5, 2)", "1.50"),
        (Decimal("1E+3"), "DECIMAL(5, 0)", "1000"),
        (1e10, "DOUBLE", "1.0E10"),
        (1e6, "DOUBLE", "1000000.0"),
        (1e7, "DOUBLE", "1.0E7"),
        (123456789.0, "DOUBLE", "1.23456789E8"),
        (0.001, "DOUBLE", "0.001"),
        (0.000001, "DOUBLE", "1.0E-6"),
        (1e-10, "DOUBLE", "1.0E-10"),
        (0.1, "DOUBLE", "0.1"),
        (-2.5, "DOUBLE", "-2.5"),
        (100.0, "DOUBLE", "100.0"),
        (0.0, "DOUBLE", "0.0"),
        (float("nan"), "DOUBLE", "NaN"),
        (float("-inf"), "DOUBLE", "-Infinity"),
        (1.100000023841858, "FLOAT", "1.1"),
        (12345678.0, "FLOAT", "1.2345678E7"),
        ("a'b", "STRING", "a'b"),
        (b"\x0a\xff", "BYTES", "x'0aff'"),
        (datetime.date(2020, 1, 2), "DATE", "2020-01-02"),
        (datetime.time(1, 2, 3, 400_000), "TIME(0)", "01:02:03"),
        (datetime.time(1, 2, 3, 400_000), "TIME(2)", "01:02:03.40"),
        (datetime.datetime(2020, 1, 2, 3, 4, 5, 678_900), "TIMESTAMP(3)", "2020-01-02 03:04:05.678"),
        (datetime.datetime(2020, 1, 2, 3, 4, 5), "TIMESTAMP(9)", "2020-01-02 03:04:05.000000000"),
        (NanosecondDatetime(2020, 1, 2, 3, 4, 5, 6, nanosecond=789), "TIMESTAMP(9)", "2020-01-02 03:04:05.000006789"),
        (NanosecondDatetime(2020, 1, 2, 3, 4, 5, 6, nanosecond=700), "TIMESTAMP_LTZ(7)", "2020-01-02 03:04:05.0000067"),
        (NanosecondTime(1, 2, 3, 4, nanosecond=567), "TIME(9)", "01:02:03.000004567"),
        (NanosecondTimedelta(nanoseconds=-1), "INTERVAL SECOND(9)", "-0 00:00:00.000000001"),
        (datetime.datetime(20, 1, 2, tzinfo=datetime.UTC), "TIMESTAMP_LTZ(0)", "0020-01-02 00:00:00"),
        (datetime.timedelta(hours=5), "INTERVAL DAY TO SECOND(3)", "+0 05:00:00.000"),
        (-datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, milliseconds=5), "INTERVAL DAY TO SECOND(3)", "-1 02:03:04.005"),
        ([1, None], "ARRAY<INT>", "[1, NULL]"),
        ({"k": None}, "MAP<STRING, INT>", "{k=NULL}"),
        ({"a": 2}, "MULTISET<STRING>", "{a=2}"),
        (Row(1, Row(True, [1.0])), "ROW<a INT, b ROW<c BOOLEAN, d ARRAY<DOUBLE>>>", "(1, (TRUE, [1.0]))"),
        (None, "INT", None),
    ],
)
def test_value_is_written_as_flink_writes_it(value: object, data_type: str, text: str | None) -> None:
    assert render_value(value, parse_logical_type(data_type)) == text
