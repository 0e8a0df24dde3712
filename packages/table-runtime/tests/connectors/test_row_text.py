"""Values as Flink prints them in rows: the texts of Java's classes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.connectors.row_text import column_texts


def texts(type_: str, *values: Any) -> list[str]:
    logical_type = parse_logical_type(type_)
    return column_texts(pa.array(values, to_arrow_type(logical_type)), logical_type, "a")


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("BOOLEAN", True, "true"),
        ("BIGINT", -(2**63), "-9223372036854775808"),
        ("STRING", "a, b", "a, b"),
        ("BYTES", b"\x00\x7f\x80\xff", "[0, 127, -128, -1]"),
        ("FLOAT", 0.1, "0.1"),
        ("FLOAT", 1e10, "1.0E10"),
        ("DOUBLE", 0.001, "0.001"),
        ("DOUBLE", 0.0001, "1.0E-4"),
        ("DOUBLE", -0.0, "-0.0"),
        ("DOUBLE", float("-inf"), "-Infinity"),
        ("DECIMAL(10, 2)", Decimal("100.00"), "100.00"),
        ("DECIMAL(20, 10)", Decimal("0.0000010000"), "0.0000010000"),
        ("DECIMAL(20, 10)", Decimal("0.0000000001"), "1E-10"),
        ("DECIMAL(20, 10)", Decimal("0E-10"), "0E-10"),
        ("DATE", dt.date(1, 1, 1), "0001-01-01"),
        ("TIME(0)", dt.time(1, 2), "01:02"),
        ("TIME(0)", dt.time(1, 2, 3), "01:02:03"),
        ("TIME(3)", dt.time(0, 0, 0, 40_000), "00:00:00.040"),
        ("TIMESTAMP(3)", dt.datetime(2020, 1, 1), "2020-01-01T00:00"),
        ("TIMESTAMP(6)", dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), "1969-12-31T23:59:59.999999"),
        ("TIMESTAMP_LTZ(3)", dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "2020-01-01T00:00:00Z"),
        ("ARRAY<INT>", [1, None], "[1, null]"),
        ("ARRAY<ROW<x INT>>", [{"x": 1}, None], "[+I[1], null]"),
        ("MAP<STRING, ARRAY<INT>>", [("a", [1]), ("b", None)], "{a=[1], b=null}"),
        ("MULTISET<STRING>", [("a", 2)], "{a=2}"),
        ("ROW<x INT, y ROW<z STRING>>", {"x": None, "y": {"z": "q"}}, "+I[null, +I[q]]"),
        ("INTERVAL DAY TO SECOND(3)", dt.timedelta(0), "PT0S"),
        ("INTERVAL DAY TO SECOND(3)", dt.timedelta(days=2, milliseconds=500), "PT48H0.5S"),
        ("INTERVAL DAY TO SECOND(3)", dt.timedelta(minutes=-90, milliseconds=-1), "PT-1H-30M-0.001S"),
    ],
)
def test_a_value_has_the_text_of_its_class_in_java(type_: str, value: Any, text: str) -> None:
    assert texts(type_, value, None) == [text, "null"]


@pytest.mark.parametrize(
    ("type_", "ticks", "text"),
    [
        ("TIMESTAMP(9)", -1, "1969-12-31T23:59:59.999999999"),
        ("TIMESTAMP_LTZ(9)", 1_000, "1970-01-01T00:00:00.000001Z"),
        ("TIME(9)", 1, "00:00:00.000000001"),
        ("INTERVAL DAY TO SECOND(9)", -1, "PT-0.000000001S"),
    ],
)
def test_nanoseconds_have_three_six_or_nine_digits(type_: str, ticks: int, text: str) -> None:
    logical_type = parse_logical_type(type_)
    column = pa.array([ticks], pa.int64()).view(to_arrow_type(logical_type))
    assert column_texts(column, logical_type, "a") == [text]


def test_a_slice_has_the_texts_of_its_own_rows() -> None:
    logical_type = parse_logical_type("MAP<STRING, INT>")
    column = pa.array([[("a", 1)], [("b", 2)], None], to_arrow_type(logical_type))
    assert column_texts(column.slice(1), logical_type, "a") == ["{b=2}", "null"]
