"""DISTINCT aggregates over windows, computed from the array of the frame's values."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from table_api.operations import AggregateCall
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, BigIntType, DecimalType, DoubleType, IntType, LogicalType, VarCharType
from table_planner_spark.expressions.functions.distinct_windows import distinct_over_window
from table_planner_spark.expressions.functions.translation import AggregateArguments


def translated(function: FunctionDefinition, type_: LogicalType, output_type: LogicalType, *texts: str) -> str:
    call = AggregateCall(function, (FieldReferenceExpression("a", type_, 0, 0),), output_type, distinct=True)
    return distinct_over_window(call, AggregateArguments(texts or ("a",), "", " OVER w"))


def test_the_distinct_values_of_the_frame_are_collected() -> None:
    assert translated(fn.COUNT, IntType(), BigIntType()) == "CAST(size(array_distinct(collect_list(a) OVER w)) AS BIGINT)"


def test_null_is_collected_by_array_agg() -> None:
    assert "collect_list(named_struct('value', a)) OVER w" in translated(fn.ARRAY_AGG, IntType(), ArrayType(IntType()))


@pytest.mark.parametrize(
    ("function", "type_", "output_type", "values", "expected"),
    [
        (fn.SUM, IntType(), IntType(), "array(1, 2, 2)", 3),
        (fn.SUM, IntType(), IntType(), "CAST(array() AS ARRAY<INT>)", None),
        (fn.AVG, IntType(), IntType(), "array(1, 2, 2)", 1),
        (fn.AVG, DoubleType(), DoubleType(), "array(1D, 2D, 2D)", 1.5),
        (fn.SUM, DecimalType(5, 2), DecimalType(38, 2), "array(1.50BD, 2.00BD, 2.00BD)", Decimal("3.50")),
        (fn.LISTAGG, VarCharType(), VarCharType(), "array('x', 'y', 'x')", "x,y"),
    ],
)
def test_each_distinct_value_counts_once(
    value_of: Callable[[str], Any],
    function: FunctionDefinition,
    type_: LogicalType,
    output_type: LogicalType,
    values: str,
    expected: object,
) -> None:
    text = translated(function, type_, output_type).replace("collect_list(a) OVER w", values)
    assert value_of(text) == expected


def test_other_aggregates_are_refused() -> None:
    with pytest.raises(TableException, match=r"does not run PERCENTILE\(DISTINCT …\) over a window"):
        translated(fn.PERCENTILE, DoubleType(), DoubleType())


def test_a_sum_that_would_lose_digits_is_refused() -> None:
    with pytest.raises(TableException, match=r"does not run SUM\(DISTINCT …\) of DECIMAL\(38, 10\)"):
        translated(fn.SUM, DecimalType(38, 10), DecimalType(38, 10))
