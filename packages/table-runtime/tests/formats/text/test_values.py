"""Texts as values of columns and back, by Arrow where it agrees and one by one elsewhere."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.formats.text.columns import parse_column
from table_runtime.formats.text.forms import CSV
from table_runtime.formats.text.values import parser_of, to_text, wide_decimal


def parsed(type_: str, *texts: str | None, ignore: bool = False) -> tuple[list[Any], tuple[int, str, str] | None]:
    column, failure = parse_column(pa.array(texts, pa.string()), parse_logical_type(type_), CSV, ignore_errors=ignore)
    return column.to_pylist(), failure


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("TINYINT", "-128", -128),
        ("BIGINT", " 9223372036854775807 ", 2**63 - 1),
        ("INT", "+7", 7),
        ("INT", "007", 7),
        ("FLOAT", "1e-45", 1.401298464324817e-45),
        ("FLOAT", "16777217.000000001", 16777218.0),
        ("DOUBLE", "1e400", float("inf")),
        ("DOUBLE", "-Infinity", float("-inf")),
        ("DOUBLE", " .5 ", 0.5),
        ("DOUBLE", " 1.5d ", 1.5),
        ("DOUBLE", "1e5F", 1e5),
        ("DOUBLE", "-0x1.8p-1", -0.75),
        ("DOUBLE", "0X1P3d", 8.0),
        ("DOUBLE", "0x1p9999", float("inf")),
        ("FLOAT", "16777217.000000001D", 16777218.0),
        ("FLOAT", "0x1p-149f", 2.0**-149),
        ("DECIMAL(5, 2)", "-1.005", Decimal("-1.01")),
        ("DECIMAL(5, 2)", "99999e-2", Decimal("999.99")),
        ("DECIMAL(5, 2)", "0e5000", Decimal("0.00")),
        ("DECIMAL(38, 0)", "9" * 38, Decimal("9" * 38)),
        ("DECIMAL(3, 3)", "-0.0004", Decimal("0.000")),
        ("BOOLEAN", " TRUE", True),
        ("BYTES", "YWJj\r\nYWJj", b"abcabc"),
        ("BYTES", "", b""),
        ("DATE", "2020-2-9", date(2020, 2, 9)),
        ("TIME(3)", "12:34:56.7899", time(12, 34, 56, 789_000)),
        ("TIMESTAMP(3)", "1969-12-31 23:59:59.9999", datetime(1969, 12, 31, 23, 59, 59, 999_000)),
        ("TIMESTAMP(0)", "2020-01-01 00:00:00.9", datetime(2020, 1, 1)),
        ("TIMESTAMP_LTZ(3)", "2020-01-01 00:00:00Z", datetime(2020, 1, 1, tzinfo=UTC)),
        ("STRING", " x ", " x "),
    ],
)
def test_a_text_is_the_same_value_alone_and_among_texts_that_arrow_cannot_read(type_: str, text: str, value: Any) -> None:
    assert parsed(type_, text, None) == ([value, None], None)
    if type_ != "STRING":
        assert parsed(type_, None, text, "?", ignore=True) == ([None, value, None], None)


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        ("TINYINT", "128", "it is out of range"),
        ("INT", "1_0", "it is not an integer"),
        ("INT", "0x1F", "it is not an integer"),
        ("INT", "1.0", "it is not an integer"),
        ("INT", "", "it is not an integer"),
        ("DOUBLE", "inf", "it is not a number"),
        ("DOUBLE", "0x1.8", "it is not a number"),
        ("DOUBLE", "NaNd", "it is not a number"),
        ("DOUBLE", "nan", "it is not a number"),
        ("DOUBLE", "1_0", "it is not a number"),
        ("DECIMAL(5, 2)", "999.995", "it has too many digits"),
        ("DECIMAL(38, 0)", "1" + "0" * 38, "it has too many digits"),
        ("DECIMAL(5, 2)", "1_0", "it is not a decimal"),
        ("BOOLEAN", "yes", "it is neither true nor false"),
        ("BYTES", "YQ=", "it is not Base64"),
        ("BYTES", "Y*==", "it is not Base64"),
        ("DATE", "0000-01-01", "the date does not exist"),
        ("TIMESTAMP(3)", "2020-01-01T00:00:00", "it is not of the form yyyy-MM-dd HH:mm:ss[.fraction]"),
        (
            "TIMESTAMP(9)",
            "2300-01-01 00:00:00",
            "it is outside of 1677 to 2262, the range of timestamps with more than six digits of the second",
        ),
    ],
)
def test_a_text_that_is_no_value_is_reported_with_its_position_or_null(type_: str, text: str, reason: str) -> None:
    assert parsed(type_, None, text, text)[1] == (1, text, reason)
    assert parsed(type_, None, text, ignore=True) == ([None, None], None)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "", "1e", "e5", "--1", "1" * 400])
def test_a_decimal_that_is_none_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="it "):
        parser_of(parse_logical_type("DECIMAL(5, 2)"))(text)


def test_a_type_without_a_text_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="MAP"):
        parser_of(parse_logical_type("MAP<STRING, INT>"))


def test_decimals_are_read_with_more_digits_than_any_has() -> None:
    assert wide_decimal(parse_logical_type("DECIMAL(38, 18)")) == pa.decimal256(76, 18)  # type: ignore[arg-type]  # it is a DecimalType


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("BOOLEAN", True, "true"),
        ("BIGINT", -(2**63), "-9223372036854775808"),
        ("FLOAT", 0.10000000149011612, "0.1"),
        ("FLOAT", 16777216.0, "1.6777216e+07"),
        ("DOUBLE", 1e23, "1e+23"),
        ("DOUBLE", -0.0, "-0.0"),
        ("DOUBLE", float("-inf"), "-Infinity"),
        ("DECIMAL(20, 10)", Decimal("0.0000000001"), "0.0000000001"),
        ("BYTES", b"\xff", "/w=="),
        ("DATE", date(1, 1, 1), "0001-01-01"),
        ("TIME(3)", time(1, 2, 3, 40_000), "01:02:03.04"),
        ("TIMESTAMP(3)", datetime(1969, 12, 31, 23, 59, 59, 999_000), "1969-12-31 23:59:59.999"),
        ("TIMESTAMP_LTZ(3)", datetime(2020, 1, 1, tzinfo=UTC), "2020-01-01 00:00:00Z"),
    ],
)
def test_the_text_of_a_value_is_read_as_that_value(type_: str, value: Any, text: str) -> None:
    logical_type = parse_logical_type(type_)
    (written, null) = to_text(pa.array([value, None], to_arrow_type(logical_type)), logical_type).to_pylist()
    assert null is None
    assert parsed(type_, written)[0] == [value]
    assert repr(float(written)) == repr(float(text)) if type_ in ("FLOAT", "DOUBLE") else written == text


def test_timestamps_of_nanoseconds_keep_all_digits() -> None:
    type_ = parse_logical_type("TIMESTAMP(9)")
    column = pa.array([-1, 1, 2**63 - 1], pa.int64()).view(to_arrow_type(type_))
    texts = to_text(column, type_, standard="ISO-8601").to_pylist()
    assert texts == ["1969-12-31T23:59:59.999999999", "1970-01-01T00:00:00.000000001", "2262-04-11T23:47:16.854775807"]
    read, failure = parse_column(pa.array([text.replace("T", " ") for text in texts]), type_, CSV)
    assert failure is None
    assert read.equals(column)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(1, 1, 1), "0001-01-01 00:00:00"),
        (datetime(9999, 12, 31, 23, 59, 59, 999_999), "9999-12-31 23:59:59.999999"),
        (datetime(2020, 1, 1, 10, 20, 0), "2020-01-01 10:20:00"),
        (datetime(2020, 1, 1, 10, 20, 30, 100), "2020-01-01 10:20:30.0001"),
        (None, None),
    ],
)
def test_the_fraction_of_a_timestamp_has_no_zeros_at_its_end(value: datetime | None, text: str | None) -> None:
    type_ = parse_logical_type("TIMESTAMP(6)")
    assert to_text(pa.array([value], to_arrow_type(type_)), type_).to_pylist() == [text]


def test_no_timestamps() -> None:
    type_ = parse_logical_type("TIMESTAMP(3)")
    assert to_text(pa.array([], to_arrow_type(type_)), type_).to_pylist() == []
