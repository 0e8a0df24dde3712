"""The specification of MATCH_RECOGNIZE, and pattern variables as positions."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
import pytest

from table_common.expressions import (
    ANY_VARIABLE,
    FieldReferenceExpression,
    MatchTime,
    PatternAggregate,
    PatternExpression,
    PatternVariable,
    RowNavigation,
    ValueLiteralExpression,
)
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, IntType, LocalZonedTimestampType, TimestampType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.columns.ordering import SortKey
from table_runtime.patterns.pattern import ABSENT, ANY, Aggregate, Navigation, PatternSpec, Time, to_match_expression

NAMES = ("A", "B")
TIME = FieldReferenceExpression("ts", TimestampType(3), 0, 0)
PRICE = FieldReferenceExpression("price", IntType(), 0, 1)
SLOT = FieldReferenceExpression("v0", IntType(), 0, 0)
SPEC = PatternSpec(
    input_schema=pa.schema([("ts", pa.timestamp("ms")), ("price", pa.int32()), ("key", pa.int32())]),
    output_schema=pa.schema([("key", pa.int32())]),
    partition_by=(2,),
    order_by=(SortKey(0), SortKey(1, False)),
    variables=(PatternVariable("A"), PatternVariable("B", 0, None)),
    definitions=(),
    measures=(),
)


def value_of(value: Any) -> Any:
    (converted,) = to_match_expression(PatternExpression(SLOT, (value,)), NAMES).values
    return converted


@pytest.mark.parametrize(("variable", "position"), [("A", 0), ("B", 1), (ANY_VARIABLE, ANY), ("Z", ABSENT)])
def test_a_navigation_refers_to_its_variable_by_position(variable: str, position: int) -> None:
    assert value_of(RowNavigation(variable, PRICE)) == Navigation(position, column=1)


def test_a_navigation_keeps_its_direction_and_offset() -> None:
    assert value_of(RowNavigation("B", PRICE, True, 3)) == Navigation(1, column=1, from_first=True, offset=3)


def test_an_aggregate_has_the_types_of_its_arguments_and_result() -> None:
    aggregate = value_of(PatternAggregate("B", BUILT_INS_BY_NAME["SUM"], (PRICE,), BigIntType()))
    assert aggregate == Aggregate(1, BUILT_INS_BY_NAME["SUM"], AggregateSpec("SUM", (IntType(),), BigIntType()), (PRICE,))


def test_the_constants_of_an_aggregate_are_values() -> None:
    name = FieldReferenceExpression("name", VarCharType(), 0, 1)
    separator = ValueLiteralExpression("; ", VarCharType(2, nullable=False))
    aggregate = value_of(PatternAggregate("A", BUILT_INS_BY_NAME["LISTAGG"], (name,), VarCharType(), (separator,)))
    assert aggregate.spec.constants == ("; ",)


def test_the_row_time_of_a_match_is_a_column_of_an_arrow_type() -> None:
    assert value_of(MatchTime(LocalZonedTimestampType(3), TIME)) == Time(pa.timestamp("us", "UTC"), 0)


def test_the_processing_time_of_a_match_has_no_column() -> None:
    assert value_of(MatchTime(LocalZonedTimestampType(3))).column is None


def test_the_values_of_an_expression_stay_in_their_order() -> None:
    values = (RowNavigation("B", PRICE), RowNavigation("A", TIME))
    assert to_match_expression(PatternExpression(SLOT, values), NAMES).values == (Navigation(1, 1), Navigation(0, 0))


def test_the_time_column_is_the_first_order_key() -> None:
    assert SPEC.time == 0


def test_rows_are_sorted_by_the_partition_keys_and_then_by_the_order_keys() -> None:
    assert SPEC.sort_keys == [SortKey(2), SortKey(0), SortKey(1, False)]


def test_the_names_of_the_variables_are_in_the_order_of_the_pattern() -> None:
    assert SPEC.names == ("A", "B")


def test_a_specification_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(SPEC)) == SPEC
