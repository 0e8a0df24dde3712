"""CAST and TRY_CAST of single values; expected results are Flink's unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import VarCharType, parse_logical_type
from table_runtime.casts import can_fail, cast
from table_runtime.expressions import EvaluationContext

Convert = Callable[..., Any]


@pytest.fixture
def convert() -> Convert:
    """Casts a value of one type to another; the result as text unless it is asked for as it is."""

    def run(value: Any, source: str, target: str, *, null_on_failure: bool = False, zone: str = "UTC") -> Any:
        context = EvaluationContext(time_zone=zone)
        source_type, target_type = parse_logical_type(source), parse_logical_type(target)
        array = pa.array([value, None], to_arrow_type(source_type))
        result = cast(array, source_type, target_type, context, null_on_failure=null_on_failure)
        assert result.type.equals(to_arrow_type(target_type))
        assert not result[1].is_valid
        return cast(result[0], target_type, VarCharType(), context).as_py()

    return run


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (True, "BOOLEAN", "STRING", "TRUE"),
        (True, "BOOLEAN", "CHAR(3)", "TRU"),
        (True, "BOOLEAN", "DECIMAL(3, 0)", "1"),
        (7, "TINYINT", "CHAR(4)", "7   "),
        (70000, "INT", "DECIMAL(8, 1)", "70000.0"),
        (0, "INT", "BOOLEAN", "FALSE"),
        (5, "INT", "BOOLEAN", "TRUE"),
        (14, "INT", "INTERVAL MONTH", "+1-02"),
        (-2.75, "DOUBLE", "BIGINT", "-2"),
        (1.9, "DOUBLE", "TINYINT", "1"),
        (1.005, "DOUBLE", "DECIMAL(7, 2)", "1.01"),
        (1e39, "DOUBLE", "FLOAT", "Infinity"),
        (1e10, "DOUBLE", "STRING", "1.0E10"),
        (5e-324, "DOUBLE", "STRING", "4.9E-324"),  # Java writes the nearer of two digits
        (-1e-323, "DOUBLE", "STRING", "-9.9E-324"),
        (1e-45, "FLOAT", "STRING", "1.4E-45"),
        (1e23, "DOUBLE", "STRING", "1.0E23"),
        (1e6, "DOUBLE", "STRING", "1000000.0"),
        (1e7, "DOUBLE", "STRING", "1.0E7"),
        (0.001, "DOUBLE", "STRING", "0.001"),
        (0.000001, "DOUBLE", "STRING", "1.0E-6"),
        (123456789.0, "DOUBLE", "STRING", "1.23456789E8"),
        (float("nan"), "DOUBLE", "STRING", "NaN"),
        (float("-inf"), "DOUBLE", "STRING", "-Infinity"),
        (1.100000023841858, "FLOAT", "STRING", "1.1"),
        (Decimal("123.456"), "DECIMAL(10, 3)", "DECIMAL(8, 1)", "123.5"),
        (Decimal("-1.005"), "DECIMAL(4, 3)", "DECIMAL(7, 2)", "-1.01"),
        (Decimal("99.99"), "DECIMAL(5, 2)", "SMALLINT", "99"),
        (Decimal("1E-7"), "DECIMAL(10, 7)", "STRING", "0.0000001"),
        (" 12 ", "STRING", "INT", "12"),
        ("+5", "STRING", "INT", "5"),
        ("1.9", "STRING", "INT", "1"),
        ("1e2", "STRING", "DECIMAL(7, 2)", "100.00"),
        ("12.345", "STRING", "DECIMAL(7, 2)", "12.35"),
        ("1.5f", "STRING", "FLOAT", "1.5"),
        ("Infinity", "STRING", "DOUBLE", "Infinity"),
        ("yes", "STRING", "BOOLEAN", "TRUE"),
        ("F", "STRING", "BOOLEAN", "FALSE"),
        ("2020", "STRING", "DATE", "2020-01-01"),
        ("2020-2-9", "STRING", "DATE", "2020-02-09"),
        ("2020-01-01 10:00:00", "STRING", "DATE", "2020-01-01"),
        ("12", "STRING", "TIME", "12:00:00"),
        ("12:34:56.789", "STRING", "TIME", "12:34:56"),
        ("2020-02-29", "STRING", "TIMESTAMP(3)", "2020-02-29 00:00:00.000"),
        ("2020-02-29 12:34:56.123456789", "STRING", "TIMESTAMP(9)", "2020-02-29 12:34:56.123456789"),
        ("2020-01-01 10:00:00.999", "STRING", "TIMESTAMP(0)", "2020-01-01 10:00:00"),
        ("ab", "STRING", "CHAR(3)", "ab "),
        ("äöü", "STRING", "CHAR(2)", "äö"),
        ("abcdef", "STRING", "VARCHAR(3)", "abc"),
        (b"12", "BYTES", "STRING", "12"),
        (date(2020, 2, 29), "DATE", "TIMESTAMP(3)", "2020-02-29 00:00:00.000"),
        (date(2020, 2, 29), "DATE", "CHAR(4)", "2020"),
        ([1, 2], "ARRAY<INT>", "ARRAY<STRING>", "[1, 2]"),
        ([None, 2], "ARRAY<INT>", "STRING", "[NULL, 2]"),
        ([[1], [2, 3]], "ARRAY<ARRAY<INT>>", "STRING", "[[1], [2, 3]]"),
        ([("k", None)], "MAP<STRING, INT>", "STRING", "{k=NULL}"),
        ([("k", 1)], "MAP<STRING, INT>", "MAP<STRING, DOUBLE>", "{k=1.0}"),
        ({"a": 1, "b": None}, "ROW<a INT, b STRING>", "STRING", "(1, NULL)"),
        ({"a": "1", "b": 2}, "ROW<a STRING, b INT>", "ROW<x INT, y STRING>", "(1, 2)"),
    ],
)
def test_a_value_is_converted(convert: Convert, value: Any, source: str, target: str, expected: str) -> None:
    assert convert(value, source, target) == expected


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        ("abc", "STRING", "INT"),
        ("", "STRING", "INT"),
        ("0x10", "STRING", "BIGINT"),
        ("128", "STRING", "TINYINT"),
        ("maybe", "STRING", "BOOLEAN"),
        ("2020-02-30", "STRING", "DATE"),
        ("10000-01-01", "STRING", "DATE"),
        ("2020-01-01T10:00:00", "STRING", "DATE"),
        ("2020-02-29 12:34", "STRING", "TIMESTAMP(3)"),
        ("2020-02-29 25:00:00", "STRING", "TIMESTAMP(3)"),
        ("2020-02-29 12:34:56Z", "STRING", "TIMESTAMP_LTZ(3)"),
        ("1e39x", "STRING", "DOUBLE"),
        ("123456.789", "STRING", "DECIMAL(7, 2)"),
        (True, "BOOLEAN", "DECIMAL(1, 1)"),
        (float("nan"), "DOUBLE", "DECIMAL(7, 2)"),
        (float("-inf"), "FLOAT", "DECIMAL(7, 2)"),
        ([100000], "ARRAY<INT>", "ARRAY<DECIMAL(3, 0) NOT NULL>"),
        (128, "INT", "TINYINT"),
        (1e20, "DOUBLE", "INT"),
        (float("nan"), "DOUBLE", "BIGINT"),
        (2.0**63, "DOUBLE", "BIGINT"),
        (["1", "x"], "ARRAY<STRING>", "ARRAY<INT>"),
    ],
)
def test_what_cannot_be_converted_is_an_error_or_null(convert: Convert, value: Any, source: str, target: str) -> None:
    assert convert(value, source, target, null_on_failure=True) is None
    with pytest.raises(TableRuntimeException, match="Cannot cast"):
        convert(value, source, target)


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        (Decimal("123456.789"), "DECIMAL(9, 3)", "DECIMAL(7, 2)"),
        (Decimal("99999.995"), "DECIMAL(9, 3)", "DECIMAL(7, 2)"),
        (100000, "INT", "DECIMAL(3, 0)"),
        (1e10, "DOUBLE", "DECIMAL(7, 2)"),
        (100, "TINYINT", "DECIMAL(3, 1)"),
    ],
)
def test_a_number_without_room_in_a_decimal_is_null_and_an_error_where_null_cannot_be(
    convert: Convert, value: Any, source: str, target: str
) -> None:
    assert convert(value, source, target) is None
    assert not can_fail(parse_logical_type(source), parse_logical_type(target)) or source == "DOUBLE"
    assert can_fail(parse_logical_type(source), parse_logical_type(f"{target} NOT NULL"))
    with pytest.raises(TableRuntimeException, match="Cannot cast"):
        convert(value, source, f"{target} NOT NULL")


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        ([100000, 1], "ARRAY<INT>", "ARRAY<DECIMAL(3, 0)>", "[NULL, 1]"),
        ({"a": 100000}, "ROW<a INT>", "ROW<a DECIMAL(3, 0)>", "(NULL)"),
    ],
)
def test_elements_without_room_in_a_decimal_are_null(convert: Convert, value: Any, source: str, target: str, expected: str) -> None:
    assert convert(value, source, target) == expected


@pytest.mark.parametrize(("text", "expected"), [("1" * 5000, None), ("-" + "0" * 5000 + "7", "-7"), ("9" * 20, None)])
def test_text_of_thousands_of_digits_is_an_integer_or_null(convert: Convert, text: str, expected: str | None) -> None:
    assert convert(text, "STRING", "BIGINT", null_on_failure=True) == expected


def test_the_error_shows_value_and_types(convert: Convert) -> None:
    with pytest.raises(TableRuntimeException, match=r"Cannot cast 'abc' of type STRING to INT\."):
        convert("abc", "STRING", "INT")


def test_a_row_with_a_failing_field_becomes_null_as_a_whole(context: EvaluationContext) -> None:
    source, target = parse_logical_type("ARRAY<STRING>"), parse_logical_type("ARRAY<INT>")
    result = cast(pa.array([["1"], ["x", "2"], None]), source, target, context, null_on_failure=True)
    assert result.to_pylist() == [[1], None, None]


def test_bytes_are_cut_and_filled_up(context: EvaluationContext) -> None:
    values = pa.array([b"\x01", b"\x01\x02\x03\x04"])
    source, target = parse_logical_type("BYTES"), parse_logical_type("BINARY(3)")
    assert cast(values, source, target, context).to_pylist() == [b"\x01\x00\x00", b"\x01\x02\x03"]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("UTC", "2020-07-01 12:00:00.000"), ("Asia/Shanghai", "2020-07-01 20:00:00.000"), ("GMT-08:00", "2020-07-01 04:00:00.000")],
)
def test_an_instant_is_shown_in_the_session_s_zone(zone: str, expected: str) -> None:
    instant = pa.array([1_593_604_800_000_000], pa.int64()).cast(pa.timestamp("us", "UTC"))
    source, target = parse_logical_type("TIMESTAMP_LTZ(3)"), VarCharType()
    assert cast(instant, source, target, EvaluationContext(time_zone=zone)).to_pylist() == [expected]


@pytest.mark.parametrize(
    ("local", "instant"),
    [
        ("2021-01-01 00:00:00", "2020-12-31 23:00:00"),
        ("2021-03-28 02:30:00", "2021-03-28 01:30:00"),  # skipped: moved forward by an hour
        ("2021-10-31 02:30:00", "2021-10-31 00:30:00"),  # shown twice: the earlier
    ],
)
def test_local_time_becomes_an_instant_as_java_does_it(local: str, instant: str) -> None:
    berlin, utc = EvaluationContext(time_zone="Europe/Berlin"), EvaluationContext()
    ltz = parse_logical_type("TIMESTAMP_LTZ(0)")
    moment = cast(pa.array([local]), VarCharType(), ltz, berlin)
    assert cast(moment, ltz, VarCharType(), utc).to_pylist() == [instant]


def test_an_instant_before_1970_loses_its_fraction_downwards(context: EvaluationContext) -> None:
    source, target = parse_logical_type("TIMESTAMP(3)"), parse_logical_type("TIMESTAMP(0)")
    values = pa.array([-1_500_000], pa.timestamp("us"))
    assert cast(cast(values, source, target, context), target, VarCharType(), context).to_pylist() == ["1969-12-31 23:59:58"]


def test_a_cast_that_does_not_exist_is_refused(context: EvaluationContext) -> None:
    with pytest.raises(TableException, match="no cast from INT to DATE"):
        cast(pa.array([1], pa.int32()), parse_logical_type("INT"), parse_logical_type("DATE"), context)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("INT", "BIGINT", False),
        ("BIGINT", "INT", True),
        ("INT", "STRING", False),
        ("STRING", "INT", True),
        ("STRING", "VARCHAR(3)", False),
        ("DATE", "TIMESTAMP(3)", False),
        ("INT", "DOUBLE", False),
        ("DOUBLE", "DECIMAL(10, 2)", True),
        ("INT", "DECIMAL(5, 2)", False),
        ("INT", "DECIMAL(5, 2) NOT NULL", True),
    ],
)
def test_it_is_known_which_casts_can_fail(source: str, target: str, expected: bool) -> None:
    assert can_fail(parse_logical_type(source), parse_logical_type(target)) is expected


def test_slices_of_nested_arrays_are_cast_right(context: EvaluationContext) -> None:
    source, target = parse_logical_type("ARRAY<INT>"), parse_logical_type("ARRAY<STRING>")
    values = pa.array([[1], [2, 3], None, [4]], pa.list_(pa.int32())).slice(1)
    assert cast(values, source, target, context).to_pylist() == [["2", "3"], None, ["4"]]


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (300, "INT", "TINYINT", 44),
        (5_000_000_000, "BIGINT", "INT", 705032704),
        (1e20, "DOUBLE", "INT", 2**31 - 1),
        (-1e20, "DOUBLE", "BIGINT", -(2**63)),
        (-2.75, "DOUBLE", "SMALLINT", -2),
        (float("nan"), "DOUBLE", "INT", 0),
        (Decimal("300.7"), "DECIMAL(4, 1)", "TINYINT", 44),
        ("abcdef", "STRING", "CHAR(3)", "abcdef"),
        ("a", "STRING", "CHAR(3)", "a"),
        (True, "BOOLEAN", "STRING", "true"),
        ("x", "STRING", "INT", None),
    ],
)
def test_legacy_casts_wrap_around_keep_text_and_give_null(value: Any, source: str, target: str, expected: Any) -> None:
    source_type = parse_logical_type(source)
    array = pa.array([value, None], to_arrow_type(source_type))
    result = cast(array, source_type, parse_logical_type(target), EvaluationContext(legacy_casts=True))
    assert result.to_pylist() == [expected, None]
