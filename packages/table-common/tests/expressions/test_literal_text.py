from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions.literal_text import literal_to_sql
from table_common.types import DescriptorType, DistinctType, IntType, SymbolType, parse_logical_type


class Unit(Enum):
    DAY = "DAY"
    OTHER = 1


@pytest.mark.parametrize(
    ("value", "type_text", "sql"),
    [
        (None, "NULL", "NULL"),
        (None, "INT", "CAST(NULL AS INT)"),
        (None, "STRING", "CAST(NULL AS STRING)"),
        (None, "ROW<a VARCHAR(3)>", "CAST(NULL AS ROW<`a` VARCHAR(3)>)"),
        (True, "BOOLEAN NOT NULL", "TRUE"),
        (False, "BOOLEAN", "FALSE"),
        (5, "INT NOT NULL", "5"),
        (-(2**31), "INT", "-2147483648"),
        (5, "TINYINT NOT NULL", "CAST(5 AS TINYINT)"),
        (-5, "SMALLINT", "CAST(-5 AS SMALLINT)"),
        (5, "BIGINT", "CAST(5 AS BIGINT)"),
        (2**31, "BIGINT", "2147483648"),
        (-(2**63), "BIGINT", "CAST('-9223372036854775808' AS BIGINT)"),
        (1.5, "DOUBLE", "1.5E0"),
        (-0.0, "DOUBLE", "-0.0E0"),
        (1e300, "DOUBLE", "1E300"),
        (1e-7, "DOUBLE", "1E-07"),
        (float("nan"), "DOUBLE", "CAST('NaN' AS DOUBLE)"),
        (float("-inf"), "DOUBLE", "CAST('-Infinity' AS DOUBLE)"),
        (1.5, "FLOAT", "CAST(1.5E0 AS FLOAT)"),
        (float("inf"), "FLOAT", "CAST(CAST('Infinity' AS DOUBLE) AS FLOAT)"),
        (Decimal("1.50"), "DECIMAL(3, 2)", "1.50"),
        (Decimal("-1.50"), "DECIMAL(3, 2)", "-1.50"),
        (Decimal("1.50"), "DECIMAL(5, 2)", "CAST(1.50 AS DECIMAL(5, 2))"),
        (Decimal("0.50"), "DECIMAL(3, 2)", "CAST(0.50 AS DECIMAL(3, 2))"),
        (Decimal("5"), "DECIMAL(1, 0)", "CAST(5 AS DECIMAL(1, 0))"),
        (Decimal("1E+3"), "DECIMAL(4, 0)", "CAST(1000 AS DECIMAL(4, 0))"),
        (Decimal("12345678901234567890"), "DECIMAL(38, 0)", "CAST('12345678901234567890' AS DECIMAL(38, 0))"),
        ("it's", "CHAR(4) NOT NULL", "'it''s'"),
        ("", "STRING", "CAST('' AS STRING)"),
        ("ab", "CHAR(3)", "CAST('ab' AS CHAR(3))"),
        ("ab", "VARCHAR(2)", "CAST('ab' AS VARCHAR(2))"),
        (b"\x0a\xff", "BINARY(2)", "X'0AFF'"),
        (b"\x0a", "BYTES", "CAST(X'0A' AS BYTES)"),
        (date(2020, 2, 29), "DATE", "DATE '2020-02-29'"),
        (date(1, 1, 1), "DATE", "DATE '0001-01-01'"),
        (3_723_000_000_000, "TIME(0)", "TIME '01:02:03'"),
        (3_723_400_000_000, "TIME(3)", "TIME '01:02:03.400'"),
        (0, "TIMESTAMP(0)", "TIMESTAMP '1970-01-01 00:00:00'"),
        (-1_000, "TIMESTAMP(6)", "TIMESTAMP '1969-12-31 23:59:59.999999'"),
        (123, "TIMESTAMP(9)", "TIMESTAMP '1970-01-01 00:00:00.000000123'"),
        (1_000_000_000, "TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(1000, 3)"),
        (-1_000_000, "TIMESTAMP_LTZ(6)", "CAST(TO_TIMESTAMP_LTZ(-1, 3) AS TIMESTAMP_LTZ(6))"),
        (
            1_000,
            "TIMESTAMP_LTZ(6)",
            "(CAST(TO_TIMESTAMP_LTZ(0, 3) AS TIMESTAMP_LTZ(6)) + INTERVAL '0.000001000' SECOND(1, 9))",
        ),
        (14, "INTERVAL YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
        (-14, "INTERVAL MONTH", "INTERVAL '-14' MONTH"),
        (1400, "INTERVAL MONTH", "INTERVAL '1400' MONTH(4)"),
        (24, "INTERVAL YEAR", "INTERVAL '2' YEAR"),
        (14, "INTERVAL YEAR", "INTERVAL '1-2' YEAR TO MONTH"),
        (12_000, "INTERVAL YEAR(4) TO MONTH", "INTERVAL '1000-0' YEAR(4) TO MONTH"),
        (0, "INTERVAL SECOND(3)", "INTERVAL '0' SECOND"),
        (10 * 10**9, "INTERVAL SECOND(3)", "INTERVAL '10' SECOND"),
        (-86_400 * 10**9, "INTERVAL SECOND(3)", "INTERVAL '-1' DAY"),
        (3_600 * 10**9, "INTERVAL HOUR", "INTERVAL '1' HOUR"),
        (93_784_005_000_000, "INTERVAL DAY TO SECOND(3)", "INTERVAL '1 02:03:04.005' DAY TO SECOND(3)"),
        (86_400 * 150 * 10**9 + 10**9, "INTERVAL DAY TO SECOND(3)", "INTERVAL '150 00:00:01' DAY(3) TO SECOND"),
        (-1_000, "INTERVAL SECOND(6)", "INTERVAL '-0 00:00:00.000001' DAY TO SECOND(6)"),
    ],
)
def test_a_constant_is_written_as_sql(value: Any, type_text: str, sql: str) -> None:
    assert literal_to_sql(value, parse_logical_type(type_text)) == sql


@pytest.mark.parametrize(("value", "sql"), [(Unit.DAY, "DAY"), (Unit.OTHER, "OTHER"), ("NULL ON NULL", "NULL ON NULL")])
def test_a_symbol_is_written_as_bare_words(value: Any, sql: str) -> None:
    assert literal_to_sql(value, SymbolType()) == sql


def test_a_descriptor_is_written_with_quoted_names() -> None:
    assert literal_to_sql(("a", "b`c"), DescriptorType()) == "DESCRIPTOR(`a`, `b``c`)"


def test_a_distinct_type_is_written_as_its_source() -> None:
    assert literal_to_sql(5, DistinctType("`c`.`d`.`t`", IntType())) == "5"


def test_a_type_without_constants_is_an_error() -> None:
    with pytest.raises(ValidationException, match="constant of the type RAW"):
        literal_to_sql(b"x", parse_logical_type("RAW('a', 'b')"))


def test_a_timestamp_beyond_the_calendar_is_an_error() -> None:
    with pytest.raises(ValidationException, match="years 1 to 9999"):
        literal_to_sql(10**30, parse_logical_type("TIMESTAMP(6)"))
