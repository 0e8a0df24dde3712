"""Values of functions of pandas as Python's values."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.types import ArrayType, BigIntType, BooleanType, DoubleType, IntType, LogicalType, MapType, VarCharType
from table_runtime.udf.pandas_values import value_of_pandas


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (float("nan"), DoubleType(), None),
        (2.0, BigIntType(), 2),
        (2.5, BigIntType(), 2.5),
        (True, IntType(), 1),
        (1, BooleanType(), True),
        (2, BooleanType(), 2),
        ([1.0, None, float("nan")], ArrayType(IntType()), [1, None, None]),
        ([("a", 1.0)], MapType(VarCharType(5), IntType()), {"a": 1}),
        ("text", IntType(), "text"),
    ],
)
def test_only_what_changes_nothing_is_converted(value: Any, type_: LogicalType, expected: Any) -> None:
    converted = value_of_pandas(value, type_)
    assert (converted, type(converted)) == (expected, type(expected))
