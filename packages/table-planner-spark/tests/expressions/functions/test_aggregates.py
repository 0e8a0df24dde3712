"""Aggregates as Spark SQL."""

from __future__ import annotations

import pytest

from table_api.operations import AggregateCall
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import DecimalType, DoubleType, IntType, LogicalType, VarCharType
from table_planner_spark.expressions.functions.aggregates import FUNCTIONS
from table_planner_spark.expressions.functions.translation import AggregateArguments

FILTER = " FILTER (WHERE b)"


def translated(
    function: FunctionDefinition,
    type_: LogicalType,
    output_type: LogicalType | None = None,
    *,
    distinct: bool = False,
    constants: tuple[object, ...] = (),
    order: str = "",
    has_distinct: bool = False,
) -> str:
    call = AggregateCall(function, (FieldReferenceExpression("a", type_, 0, 0),), output_type or type_, distinct, constant_args=constants)
    arguments = AggregateArguments(("a",), order, FILTER, (order,) if order else (), has_distinct)
    return FUNCTIONS[function](call, arguments)


def test_count_without_arguments_counts_rows() -> None:
    call = AggregateCall(fn.COUNT, (), IntType())
    assert FUNCTIONS[fn.COUNT](call, AggregateArguments((), "", "")) == "count(*)"


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (
            IntType(),
            (
                "coalesce(try_cast(try_sum(a) FILTER (WHERE b) AS INT), if(count(a) FILTER (WHERE b) > 0,"
                r" raise_error(concat('SUM overflows INT', '.\u001fSum CAST(… AS BIGINT) instead.')), NULL))"
            ),
        ),
        (DecimalType(10, 2), "CAST(sum(a) FILTER (WHERE b) AS DECIMAL(38, 2))"),
        (DecimalType(38, 2), "try_sum(CAST(a AS DECIMAL(38, 2))) FILTER (WHERE b)"),
    ],
)
def test_a_sum_has_a_type_that_holds_it(type_: LogicalType, expected: str) -> None:
    assert translated(fn.SUM, type_) == expected


def test_an_average_of_integers_is_cut_to_an_integer() -> None:
    assert " div nullif(count(a) FILTER (WHERE b), 0)" in translated(fn.AVG, IntType())


def test_an_average_of_doubles_is_that_of_spark() -> None:
    assert translated(fn.AVG, DoubleType(), distinct=True) == "CAST(avg(DISTINCT a) FILTER (WHERE b) AS DOUBLE)"


def test_the_first_value_without_an_order_is_that_of_spark() -> None:
    assert translated(fn.FIRST_VALUE, IntType()) == "first(a, true) FILTER (WHERE b)"


def test_the_deviation_of_decimals_is_computed_value_by_value() -> None:
    assert translated(fn.VAR_POP, DoubleType()) == "CAST(var_pop(a) FILTER (WHERE b) AS DOUBLE)"
    assert "collect_list(CAST(a AS DOUBLE)) FILTER (WHERE b)" in translated(fn.VAR_POP, DecimalType(5, 2), DecimalType(38, 6))


def test_a_list_of_texts_in_order_is_that_of_spark_unless_distinct_values_are_aggregated() -> None:
    text = VarCharType()
    joined = "listagg(a, '; ') WITHIN GROUP (ORDER BY o ASC) FILTER (WHERE b)"
    assert joined in translated(fn.LISTAGG, text, constants=("; ",), order="o ASC")
    assert "listagg" not in translated(fn.LISTAGG, text, distinct=True)


@pytest.mark.parametrize(
    ("fraction", "expected"), [(0.5, "CAST('0.5' AS DOUBLE)"), (1, "1"), ([0.25, 1], "array(CAST('0.25' AS DOUBLE), 1)")]
)
def test_a_percentile_has_its_fraction_as_a_constant(fraction: object, expected: str) -> None:
    assert translated(fn.PERCENTILE, DoubleType(), constants=(fraction,)) == f"percentile(a, {expected}) FILTER (WHERE b)"


@pytest.mark.parametrize("fraction", [None, True, "x"])
def test_a_percentile_refuses_other_fractions(fraction: object) -> None:
    with pytest.raises(TableException, match="PERCENTILE does not take"):
        translated(fn.PERCENTILE, DoubleType(), constants=(fraction,))
