"""Which columns of Python values become Arrow data without an expression for each value."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from table_api.python_data.element_columns import are_plain
from table_common.types import (
    ArrayType,
    BigIntType,
    DateType,
    DecimalType,
    DoubleType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RowType,
    TimestampType,
    VarCharType,
)

NOON = datetime.datetime(2024, 1, 1, 12)
ROW = RowType.of([("a", BigIntType()), ("b", VarCharType())])


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        ([1, None], BigIntType()),
        ([1, 1.5], DoubleType()),
        (["ab", None], VarCharType(2)),
        ([Decimal("1.50")], DecimalType(10, 2)),
        ([NOON], TimestampType(6)),
        ([NOON.replace(tzinfo=datetime.UTC)], LocalZonedTimestampType(6)),
        ([[1], (2, None), None], ArrayType(BigIntType())),
        ([{"k": 1}], MapType(VarCharType(nullable=False), BigIntType())),
        ([(1, "x"), {"b": "y"}, None], ROW),
        ([], BigIntType()),
    ],
    ids=str,
)
def test_values_of_the_class_of_the_type_are_plain(values: list[object], data_type: LogicalType) -> None:
    assert are_plain(values, data_type)


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        ([True], BigIntType()),
        (["abc"], VarCharType(2)),
        ([Decimal("1.505")], DecimalType(10, 2)),
        ([NOON], DateType()),
        ([NOON], LocalZonedTimestampType(6)),
        ([[1, "x"]], ArrayType(BigIntType())),
        ([{None: 1}], MapType(VarCharType(nullable=False), BigIntType())),
        ([(1,)], ROW),
        ([{"c": 1}], ROW),
    ],
    ids=str,
)
def test_values_that_need_a_check_or_a_cast_are_not_plain(values: list[object], data_type: LogicalType) -> None:
    assert not are_plain(values, data_type)
