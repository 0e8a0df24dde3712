"""The types and values of literals."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from table_api.expressions.unresolved import Call, Literal
from table_api.sql.parser import parse_expression
from table_common.exceptions import SqlParserException, ValidationException

_DAY = 86_400_000_000_000


@pytest.mark.parametrize(
    ("text", "value", "type_text"),
    [
        ("1", 1, "INT NOT NULL"),
        ("2147483647", 2147483647, "INT NOT NULL"),
        ("2147483648", 2147483648, "BIGINT NOT NULL"),
        ("-2147483648", -2147483648, "INT NOT NULL"),
        ("-9223372036854775808", -9223372036854775808, "BIGINT NOT NULL"),
        ("1.", 1, "INT NOT NULL"),
        ("1.5", Decimal("1.5"), "DECIMAL(2, 1) NOT NULL"),
        ("0.50", Decimal("0.50"), "DECIMAL(3, 2) NOT NULL"),
        (".5", Decimal("0.5"), "DECIMAL(1, 1) NOT NULL"),
        ("-1.5", Decimal("-1.5"), "DECIMAL(2, 1) NOT NULL"),
        ("1e0", 1.0, "DOUBLE NOT NULL"),
        ("-1e0", -1.0, "DOUBLE NOT NULL"),
        ("1.5E-2", 0.015, "DOUBLE NOT NULL"),
        ("'abc'", "abc", "CHAR(3) NOT NULL"),
        ("''", "", "CHAR(0) NOT NULL"),
        ("'it''s'", "it's", "CHAR(4) NOT NULL"),
        ("'a'\n'b'", "ab", "CHAR(2) NOT NULL"),
        ("'😀'", "😀", "CHAR(1) NOT NULL"),
        ("_UTF16'abc'", "abc", "CHAR(3) NOT NULL"),
        ("U&'\\00e4\\\\x'", "ä\\x", "CHAR(3) NOT NULL"),
        ("U&'!+01F600' UESCAPE '!'", "😀", "CHAR(1) NOT NULL"),
        ("X'0F01'", b"\x0f\x01", "BINARY(2) NOT NULL"),
        ("x''", b"", "BINARY(0) NOT NULL"),
        ("TRUE", True, "BOOLEAN NOT NULL"),
        ("UNKNOWN", None, "BOOLEAN"),
        ("NULL", None, "NULL"),
        ("DATE '2020-02-29'", date(2020, 2, 29), "DATE NOT NULL"),
        ("DATE'2020-2-9'", date(2020, 2, 9), "DATE NOT NULL"),
        ("{d '2020-02-29'}", date(2020, 2, 29), "DATE NOT NULL"),
        ("TIME '00:00:01'", 1_000_000_000, "TIME(0) NOT NULL"),
        ("TIME '00:00:01.25'", 1_250_000_000, "TIME(2) NOT NULL"),
        ("TIMESTAMP '1970-01-02 00:00:00'", _DAY, "TIMESTAMP(0) NOT NULL"),
        ("TIMESTAMP '1969-12-31 23:59:59.999'", -1_000_000, "TIMESTAMP(3) NOT NULL"),
        ("TIMESTAMP '2020-01-01 00:00:00.123000'", 1_577_836_800_123_000_000, "TIMESTAMP(6) NOT NULL"),
        ("INTERVAL '10' DAY", 10 * _DAY, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL '2' WEEKS", 14 * _DAY, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL '1 02:03:04.005' DAY TO SECOND", _DAY + 7_384_005_000_000, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL '-1 02:00' DAY TO MINUTE", -_DAY - 7_200_000_000_000, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL -'1.5' SECOND", -1_500_000_000, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL '1:30' HOUR TO MINUTE", 5_400_000_000_000, "INTERVAL SECOND(3) NOT NULL"),
        ("INTERVAL '2-10' YEAR TO MONTH", 34, "INTERVAL MONTH NOT NULL"),
        ("INTERVAL '-1-2' YEAR TO MONTH", -14, "INTERVAL MONTH NOT NULL"),
        ("INTERVAL '1' QUARTER", 3, "INTERVAL MONTH NOT NULL"),
        ("INTERVAL '100' DAY(3)", 100 * _DAY, "INTERVAL SECOND(3) NOT NULL"),
    ],
)
def test_literal_has_flinks_type(text: str, value: object, type_text: str) -> None:
    literal = parse_expression(text)
    assert isinstance(literal, Literal)
    assert (literal.value, type(literal.value), str(literal.type)) == (value, type(value), type_text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12345678901234567890", "out of the range of BIGINT"),
        ("DATE '2020-02-30'", "'2020-02-30' is not a DATE"),
        ("TIME '25:00:00'", "is not a TIME"),
        ("TIMESTAMP '2020-01-01 10:00'", "is not a TIMESTAMP"),
        ("INTERVAL 'abc' DAY", "is not an interval of DAY"),
        ("INTERVAL '1-12' YEAR TO MONTH", "MONTH goes up to 11"),
        ("INTERVAL '100' DAY(2)", r"DAY\(2\) takes 2 digits"),
        ("EXTRACT(NOPE FROM a)", "requires a time unit, but got 'NOPE'"),
        ("CAST(1 AS NOPE)", "There is no type 'NOPE'"),
        ("CAST(1 AS DECIMAL(0, 0))", "DECIMAL"),
        ("MULTISET[1]", "MULTISET"),
    ],
)
def test_impossible_value_is_a_validation_error_with_a_place(text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        parse_expression(text)
    assert caught.value.category == "validation"
    assert caught.value.position is not None


@pytest.mark.parametrize("text", ["X'0'", "X'zz'", "U&'\\00'", "'a' 'b'", "CAST(1 AS VARCHAR(-1))", "INTERVAL '1' FORTNIGHT", "1 2"])
def test_malformed_literal_is_a_parse_error(text: str) -> None:
    with pytest.raises(SqlParserException) as caught:
        parse_expression(text)
    assert caught.value.category == "parse"


@pytest.mark.parametrize(
    ("value", "internal", "type_text"),
    [
        (None, None, "NULL"),
        (True, True, "BOOLEAN NOT NULL"),
        (5, 5, "INT NOT NULL"),
        (2**40, 2**40, "BIGINT NOT NULL"),
        (1.5, 1.5, "DOUBLE NOT NULL"),
        (Decimal("1.50"), Decimal("1.50"), "DECIMAL(3, 2) NOT NULL"),
        (Decimal("1E3"), Decimal("1E3"), "DECIMAL(4, 0) NOT NULL"),
        ("x' OR 'a", "x' OR 'a", "CHAR(8) NOT NULL"),
        (b"a", b"a", "BINARY(1) NOT NULL"),
        (date(2020, 1, 1), date(2020, 1, 1), "DATE NOT NULL"),
        (time(0, 0, 1, 5), 1_000_005_000, "TIME(6) NOT NULL"),
        (datetime(1970, 1, 1, 0, 0, 1), 1_000_000_000, "TIMESTAMP(0) NOT NULL"),
        (datetime(1970, 1, 1, tzinfo=UTC), 0, "TIMESTAMP_LTZ(0) NOT NULL"),
        (timedelta(seconds=-1), -1_000_000_000, "INTERVAL SECOND(3) NOT NULL"),
    ],
)
def test_parameter_becomes_a_literal_of_its_type(value: object, internal: object, type_text: str) -> None:
    literal = parse_expression(":p", parameters={"p": value})
    assert isinstance(literal, Literal)
    assert (literal.value, str(literal.type)) == (internal, type_text)


def test_list_parameter_is_an_array() -> None:
    assert str(parse_expression(":p", parameters={"p": [1, 2]}).function) == "ARRAY"  # type: ignore[attr-defined]


def test_list_parameter_fills_a_value_list() -> None:
    call = parse_expression("a IN (:p)", parameters={"p": [1, 2]})
    assert isinstance(call, Call)
    assert [arg.value for arg in call.args[1:]] == [1, 2]  # type: ignore[attr-defined]


def test_missing_parameter_names_those_given() -> None:
    with pytest.raises(ValidationException, match=r"Parameter 'q' does not exist in args\. Available: p"):
        parse_expression(":q", parameters={"p": 1})


def test_parameter_without_values_is_a_parse_error() -> None:
    with pytest.raises(SqlParserException, match="need values"):
        parse_expression(":q")


def test_parameter_of_unknown_class_says_what_is_taken() -> None:
    with pytest.raises(ValidationException, match="_Unknown has no SQL type") as caught:
        parse_expression(":p", parameters={"p": _Unknown()})
    assert "datetime" in str(caught.value)


class _Unknown:
    pass


def test_a_literal_has_no_negative_zero() -> None:
    literal = parse_expression("-0e0")
    assert isinstance(literal, Literal)
    assert str(literal.value) == "0.0"


def test_a_double_beyond_the_greatest_is_refused() -> None:
    with pytest.raises(ValidationException, match="out of the range of DOUBLE"):
        parse_expression("1e400")
