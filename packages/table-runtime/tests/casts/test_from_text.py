"""Parsers of text: what they read, and None for what is not a value of the type."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from table_runtime.casts import from_text
from table_runtime.casts.from_text import parse_date, parse_double, parse_time, parse_timestamp

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2020-2-29", 18321),
        (" 2020-02-29 ", 18321),
        ("2020-02-29 whatever", 18321),
        ("2020", 18262),
        ("2020-03", 18322),
        ("0000-03-01", -719_468),
        ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
        ("2019-02-29", None),
        ("2020-13-01", None),
        ("10000-01-01", None),
        ("2020-01-01x", None),
        ("-2020-01-01", None),
        ("", None),
    ],
)
def test_dates(text: str, days: int | None) -> None:
    assert parse_date(text) == days


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("00:00", 0),
        ("7", 7 * 3600 * SECOND),
        ("23:59:59.999999999", 86_400 * SECOND - 1),
        ("1:2:3.5", 3723 * SECOND + SECOND // 2),
        (" 12:00:00 ", 43_200 * SECOND),
        ("0:0:0.1234567891", 123_456_789),
        ("24:00:00", None),
        ("12:60", None),
        ("12:00:60", None),
        ("12:", None),
        ("", None),
    ],
)
def test_times(text: str, nanos: int | None) -> None:
    assert parse_time(text) == nanos


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("1970-01-01", 0),
        ("1969-12-31 23:59:59.999999999", -1),
        ("1970-1-2 0:0:1", 86_401 * SECOND),
        ("2020-02-30 00:00:00", None),
        ("1970-01-01 12:00", None),
        ("1970-01-01T00:00:00", None),
        ("1970-01-01 00:00:00.", None),
        ("70-01-01", None),
    ],
)
def test_timestamps(text: str, nanos: int | None) -> None:
    assert parse_timestamp(text) == nanos


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e3", -1000.0),
        ("1d", 1.0),
        ("2F", 2.0),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("0x1p3", 8.0),
        ("-0X.8p0f", -0.5),
        ("0x1.p+1D", 2.0),
        ("0x1p99999999999", math.inf),
        ("0x1p-99999999999", 0.0),
    ],
)
def test_doubles(text: str, number: float) -> None:
    assert parse_double(text) == number


def test_a_double_may_be_nan_or_negative_zero() -> None:
    assert math.isnan(parse_double("NaN") or 0.0)
    assert str(parse_double("-0.0")) == "-0.0"


@pytest.mark.parametrize("text", ["", ".", "1e", "0x1.8", "0x.p1", "NaNd", "inf", "nan", "1_000", "1 2", "--1"])
def test_text_that_is_not_a_double(text: str) -> None:
    assert parse_double(text) is None


@pytest.mark.parametrize("text", ["١", "१", "１"])
def test_digits_of_other_scripts_are_not_digits(apply: Any, text: str) -> None:
    year = "2020".replace("2", text)
    parsed = [parse_double(text), parse_date(year), parse_time(text), parse_timestamp(f"{year}-01-01")]
    assert parsed == [None] * 4
    assert apply(from_text.text_to_integer, "STRING", "INT", [text]) == [None]
    assert apply(from_text.text_to_decimal, "STRING", "DECIMAL(5, 2)", [text]) == [None]


def test_booleans_ignore_case_and_blanks(apply: Any) -> None:
    values = ["T", " true ", "y", "YES", "1", "f", "False", "N", "no", "0", "2", "", "tru", None]
    assert apply(from_text.text_to_boolean, "STRING", "BOOLEAN", values) == [True] * 5 + [False] * 5 + [None] * 4


@pytest.mark.parametrize(("type_", "bits"), [("TINYINT", 8), ("SMALLINT", 16), ("INT", 32), ("BIGINT", 64)])
def test_integers_are_limited_by_their_type(apply: Any, type_: str, bits: int) -> None:
    limit = 2 ** (bits - 1)
    values = [str(limit - 1), str(-limit), str(limit), str(-limit - 1), f"{limit - 1}.9"]
    assert apply(from_text.text_to_integer, "STRING", type_, values) == [limit - 1, -limit, None, None, limit - 1]


@pytest.mark.parametrize(
    ("text", "number"),
    [("+7", 7), (" -7 ", -7), ("1.99", 1), (".5", 0), ("-.5", 0), ("+", None), ("", None), ("1e2", None), ("1,000", None)],
)
def test_fractions_of_integers_are_truncated(apply: Any, text: str, number: int | None) -> None:
    assert apply(from_text.text_to_integer, "STRING", "BIGINT", [text, None]) == [number, None]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.005", "1.01"),
        ("-1.005", "-1.01"),
        ("1e2", "100.00"),
        ("999.994", "999.99"),
        ("999.995", None),
        ("1e999999999", None),
        ("0e100", "0.00"),
        ("-0E+2147483647", "0.00"),
        ("0e2147483648", None),
        ("NaN", None),
    ],
)
def test_decimals_are_rounded_half_up_and_limited(apply: Any, text: str, number: str | None) -> None:
    expected = None if number is None else Decimal(number)
    assert apply(from_text.text_to_decimal, "STRING", "DECIMAL(5, 2)", [text]) == [expected]


def test_a_float_is_the_nearest_to_the_text(apply: Any) -> None:
    assert apply(from_text.text_to_approximate, "STRING", "FLOAT", ["16777217", "1e39", "x"]) == [16777216.0, math.inf, None]


def test_timestamps_are_truncated_to_their_precision_also_before_1970(apply: Any) -> None:
    texts = ["1969-12-31 23:59:59.999", "1970-01-01 00:00:00.1299", None]
    assert apply(from_text.text_to_timestamp, "STRING", "TIMESTAMP(2)", texts) == [-10_000, 120_000, None]


def test_a_timestamp_beyond_the_range_of_nanoseconds_is_null(apply: Any) -> None:
    assert apply(from_text.text_to_timestamp, "STRING", "TIMESTAMP(9)", ["2262-04-12 00:00:00", "9999-01-01"]) == [None, None]


def test_a_text_is_a_local_time_of_the_session(apply: Any) -> None:
    assert apply(from_text.text_to_ltz, "STRING", "TIMESTAMP_LTZ(3)", ["1970-01-01 02:00:00"], time_zone="GMT+02:00") == [0]
