"""Text of values, as Java writes it."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.json_text import double_text
from table_common.types import CharType, VarCharType, parse_logical_type
from table_runtime.casts import to_text
from table_runtime.casts.to_text import fit_binary, fit_text, plain_texts
from table_runtime.evaluation_context import EvaluationContext


def texts(function: Any, type_: str, values: pa.Array, zone: str = "UTC") -> list[str | None]:
    result: list[str | None] = function(values, parse_logical_type(type_), EvaluationContext(time_zone=zone)).to_pylist()
    return result


@pytest.mark.parametrize(
    ("shortest", "expected"),
    [
        ("0.0", "0.0"),
        ("-0", "-0.0"),
        ("1", "1.0"),
        ("0.001", "0.001"),
        ("0.0009", "9.0E-4"),
        ("9999999", "9999999.0"),
        ("10000000", "1.0E7"),
        ("-12345678.9", "-1.23456789E7"),
        ("1e+22", "1.0E22"),
        ("5e-324", "5.0E-324"),
        ("nan", "NaN"),
        ("-inf", "-Infinity"),
    ],
)
def test_floating_point_numbers(shortest: str, expected: str) -> None:
    assert double_text(shortest) == expected


def test_a_column_of_doubles_mixes_both_forms() -> None:
    values = pa.array([1.5, 1e7, None, 0.0, -0.0, 1e-5, math.nan, 100.0])
    assert texts(to_text.approximate_to_text, "DOUBLE", values) == ["1.5", "1.0E7", None, "0.0", "-0.0", "1.0E-5", "NaN", "100.0"]


def test_plain_texts_are_marked() -> None:
    written, is_plain = plain_texts(pa.array([0.001, 9999999.0, 1e7, math.inf, None]))
    assert is_plain.to_pylist() == [True, True, False, False, None]
    assert written.to_pylist()[:2] == ["0.001", "9999999.0"]


@pytest.mark.parametrize(("target", "expected"), [(CharType(3), ["äö ", "abc", None]), (VarCharType(3), ["äö", "abc", None])])
def test_text_is_cut_in_code_points_and_char_is_padded(target: Any, expected: list[str | None]) -> None:
    assert fit_text(pa.array(["äö", "abcd", None]), target).to_pylist() == expected


@pytest.mark.parametrize(("target", "expected"), [("BINARY(3)", [b"a\0\0", b"abc", None]), ("VARBINARY(3)", [b"a", b"abc", None])])
def test_bytes_are_cut_and_binary_is_padded(target: str, expected: list[bytes | None]) -> None:
    assert fit_binary(pa.array([b"a", b"abcd", None]), parse_logical_type(target)).to_pylist() == expected


def test_text_and_bytes_without_a_length_are_kept() -> None:
    assert fit_text(pa.array(["a" * 50]), parse_logical_type("STRING")).to_pylist() == ["a" * 50]
    assert fit_binary(pa.array([b"a" * 50]), parse_logical_type("BYTES")).to_pylist() == [b"a" * 50]


def test_the_padding_of_char_is_bounded() -> None:
    with pytest.raises(TableRuntimeException, match="CAST would create a value of 2,147,483,647 characters"):
        fit_text(pa.array(["a"]), CharType(2**31 - 1))


def test_small_decimals_have_all_digits_of_their_scale() -> None:
    values = pa.array([Decimal("0.0000000001"), Decimal("-5.0000000000"), None], pa.decimal128(20, 10))
    assert texts(to_text.number_to_text, "DECIMAL(20, 10)", values) == ["0.0000000001", "-5.0000000000", None]


@pytest.mark.parametrize(("type_", "expected"), [("TIME(0)", "01:02:03"), ("TIME(3)", "01:02:03.12"), ("TIME(1)", "01:02:03.1")])
def test_times_have_a_fraction_without_trailing_zeros(type_: str, expected: str) -> None:
    values = pa.array([3_723_120_000, None], pa.int64()).cast(pa.time64("us"))
    assert texts(to_text.time_to_text, type_, values) == [expected, None]


def test_a_time_with_a_precision_has_one_digit_at_least() -> None:
    assert texts(to_text.time_to_text, "TIME(3)", pa.array([0], pa.int64()).cast(pa.time64("us"))) == ["00:00:00.0"]


@pytest.mark.parametrize(("type_", "fraction"), [("TIMESTAMP(0)", ""), ("TIMESTAMP(1)", ".5"), ("TIMESTAMP(6)", ".500000")])
def test_timestamps_have_all_digits_of_their_precision(type_: str, fraction: str) -> None:
    values = pa.array([-500_000, None], pa.int64()).cast(pa.timestamp("us"))
    assert texts(to_text.timestamp_to_text, type_, values) == [f"1969-12-31 23:59:59{fraction}", None]


def test_an_instant_is_the_local_time_of_the_session() -> None:
    values = pa.array([0, None], pa.int64()).cast(pa.timestamp("us", "UTC"))
    assert texts(to_text.ltz_to_text, "TIMESTAMP_LTZ(0)", values, "GMT-08:00") == ["1969-12-31 16:00:00", None]


def test_intervals_have_a_sign() -> None:
    assert texts(to_text.year_month_to_text, "INTERVAL MONTH", pa.array([14, -1, 0, None], pa.int32())) == ["+1-02", "-0-01", "+0-00", None]
    values = pa.array([90_061_001, -1, None], pa.duration("ms"))
    assert texts(to_text.day_time_to_text, "INTERVAL DAY", values) == ["+1 01:01:01.001", "-0 00:00:00.001", None]


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    assert texts(to_text.binary_to_text, "BYTES", pa.array([b"a\xff", b"ok", None])) == ["a�", "ok", None]
    assert texts(to_text.boolean_to_text, "BOOLEAN", pa.array([True, False, None])) == ["TRUE", "FALSE", None]
