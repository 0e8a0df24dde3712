"""Values as JSON text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.types import (
    ArrayType,
    BinaryType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RowType,
    TimestampType,
    VarCharType,
)
from table_planner_spark.expressions.json_text import json_quoted, to_json_text

ValueOf = Callable[[str], Any]


@pytest.mark.parametrize(("text", "expected"), [("'a\"b'", '"a\\"b"'), ("'\\n'", '"\\n"'), ("''", '""'), ("CAST(NULL AS STRING)", None)])
def test_a_string_is_quoted_and_escaped(value_of: ValueOf, text: str, expected: str | None) -> None:
    assert value_of(json_quoted(text)) == expected


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("1e30D", DoubleType(), "1.0E+30"),
        ("1e-4D", DoubleType(), "0.00010"),
        ("CAST('NaN' AS DOUBLE)", DoubleType(), '"NaN"'),
        ("X'6162'", BinaryType(2), '"YWI="'),
        ("TIMESTAMP_NTZ'2020-01-01 00:00:00.5'", TimestampType(3), '"2020-01-01T00:00:00.5"'),
        ("timestamp_micros(0)", LocalZonedTimestampType(3), '"1970-01-01T00:00:00Z"'),
        ("array(1, NULL)", ArrayType(IntType()), "[1,null]"),
        ("map('a', NULL)", MapType(VarCharType(), IntType()), '{"a":null}'),
        ("named_struct('x', 'v', 'y', 2)", RowType.of([("x", VarCharType()), ("y", IntType())]), '{"x":"v","y":2}'),
        ("CAST(NULL AS INT)", IntType(), None),
    ],
)
def test_a_value_has_the_json_that_flink_writes(value_of: ValueOf, text: str, type_: LogicalType, expected: str | None) -> None:
    assert value_of(to_json_text(text, type_)) == expected
