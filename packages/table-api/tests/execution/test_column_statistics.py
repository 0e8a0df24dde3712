"""Column statistics: the aggregates for a type, and the statistics from their results."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.execution.column_statistics import aggregates_of, statistics_of, values_of_no_rows
from table_common.catalog import PhysicalColumn
from table_common.types import ArrayType, BigIntType, BooleanType, IntType, LogicalType, TimestampType, VarBinaryType, VarCharType


def _column(type_: LogicalType) -> PhysicalColumn:
    return PhysicalColumn("a", type_)


@pytest.mark.parametrize(
    "type_", [BooleanType(), BigIntType(), VarCharType(5), TimestampType(3), ArrayType(IntType()), VarBinaryType(9)], ids=str
)
def test_the_statistics_of_no_rows_have_no_nulls(type_: LogicalType) -> None:
    column = _column(type_)
    values = values_of_no_rows(column)
    assert len(values) == len(aggregates_of(column))
    assert statistics_of(column, 0, values).null_count == 0


@pytest.mark.parametrize(("type_", "values"), [(BooleanType(), [7, 4]), (BigIntType(), [7, 3, 1, 9]), (ArrayType(IntType()), [7])])
def test_nulls_are_the_rows_that_are_not_counted(type_: LogicalType, values: list[Any]) -> None:
    assert statistics_of(_column(type_), 10, values).null_count == 3


def test_values_without_an_order_are_only_counted() -> None:
    assert aggregates_of(_column(ArrayType(IntType()))) == ["COUNT(`a`)"]
