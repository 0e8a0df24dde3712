"""Values cast to strings, in the formats of Flink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.functions import MAX_VALUE_SIZE
from table_common.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CharacterType,
    CharType,
    DayTimeIntervalType,
    IntType,
    LogicalType,
    MapType,
    RowType,
    TimestampType,
    TimeType,
    VarCharType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.text_format import fit_length, padded_to, to_text

ValueOf = Callable[[str], Any]


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("true", BooleanType(), "TRUE"),
        ("TIMESTAMP_NTZ'2020-01-01 00:00:00.1'", TimestampType(3), "2020-01-01 00:00:00.100"),
        ("-1L", TimestampType(9), "1969-12-31 23:59:59.999999999"),
        pytest.param("CAST(TIME'10:00:00' AS TIME(3))", TimeType(3), "10:00:00.0", marks=pytest.mark.needs_time),
        ("INTERVAL '-1-2' YEAR TO MONTH", YearMonthIntervalType(), "-1-02"),
        ("INTERVAL '1 02:03:04.5' DAY TO SECOND", DayTimeIntervalType(), "+1 02:03:04.500"),
        ("array(1, NULL)", ArrayType(IntType()), "[1, NULL]"),
        ("map('a', 1)", MapType(VarCharType(), IntType()), "{a=1}"),
        ("named_struct('x', 1, 'y', NULL)", RowType.of([("x", IntType()), ("y", VarCharType())]), "(1, NULL)"),
        ("X'61FF'", BinaryType(2), "a\ufffd"),
        ("CAST(NULL AS INT)", IntType(), None),
    ],
)
def test_a_value_has_the_text_that_flink_writes(value_of: ValueOf, text: str, type_: LogicalType, expected: str | None) -> None:
    assert value_of(to_text(text, type_)) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (VarCharType(3), VarCharType(5), "`a`"),
        (VarCharType(5), VarCharType(3), "substring(`a`, 1, 3)"),
        (IntType(), VarCharType(), "`a`"),
        (CharType(3), CharType(3), "`a`"),
        (VarCharType(3), CharType(3), "rpad(`a`, 3, ' ')"),
    ],
)
def test_a_text_is_cut_and_padded_only_where_its_type_does_not_fit(source: LogicalType, target: CharacterType, expected: str) -> None:
    assert fit_length("`a`", source, target) == expected


def test_padding_beyond_the_largest_value_is_an_error() -> None:
    assert padded_to("`a`", MAX_VALUE_SIZE, "' '").startswith("rpad(")
    assert "raise_error('CAST would create a value of 268,435,457 characters" in padded_to("`a`", MAX_VALUE_SIZE + 1, "' '")
