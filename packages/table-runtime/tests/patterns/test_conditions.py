"""Conditions of variables: for a whole batch, or per candidate row, from Python source or from the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BooleanType, DoubleType, IntType, LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns.conditions import Condition, MatchCondition, RowCondition, make_condition
from table_runtime.patterns.pattern import ABSENT, ANY, Aggregate, MatchExpression, MatchValue, Navigation

PRICES = [5, None, 7, 3, 9]
FIRSTS = (0, 1, -1)
"""The pattern ``A B C``: row 0 is an A, rows from 1 on are Bs, and there is no C yet."""
A, B, C = range(3)


def slot(position: int, type_: LogicalType | None = None) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"v{position}", type_ or IntType(), 0, position)


def call(name: str, *args: ResolvedExpression, type_: LogicalType | None = None) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, type_ or BooleanType())


def number(value: int) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, IntType(nullable=False))


def rows(prices: Sequence[int | None] = PRICES) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(prices, pa.int32())], names=["price"])


def price(variable: int, *, from_first: bool = False, offset: int = 0) -> Navigation:
    return Navigation(variable, 0, from_first, offset)


def total(variable: int, function: str = "SUM", type_: LogicalType | None = None) -> Aggregate:
    spec = AggregateSpec(function, (IntType(),), type_ or IntType())
    return Aggregate(variable, BUILT_INS_BY_NAME[function], spec, (FieldReferenceExpression("price", IntType(), 0, 0),))


def condition(variable: int, expression: ResolvedExpression, *values: MatchValue) -> Condition:
    return make_condition(variable, MatchExpression(expression, values), EvaluationContext())


def through_kernels(expression: ResolvedExpression) -> ResolvedExpression:
    """The same condition with a conjunct that is always true and that only the kernels compute."""
    return call("AND", expression, call("EQUALS", call("ABS", number(1), type_=IntType()), number(1)))


def through_python(expression: ResolvedExpression) -> ResolvedExpression:
    return expression


def asks(bound: object) -> Callable[[tuple[int, ...], int, int], bool]:
    assert callable(bound)
    function: Callable[[tuple[int, ...], int, int], bool] = bound
    return function


paths = pytest.mark.parametrize("path", [through_python, through_kernels])


def test_a_condition_on_the_candidate_row_is_evaluated_for_the_whole_batch() -> None:
    assert condition(A, call("GREATER_THAN", slot(0), number(4)), price(A)).bind(rows()) == b"\1\0\1\0\1"


def test_the_candidate_row_is_one_of_all_rows() -> None:
    assert isinstance(condition(A, call("GREATER_THAN", slot(0), number(4)), price(ANY)), RowCondition)


@pytest.mark.parametrize("value", [price(A, from_first=True), price(A, offset=1), price(B), total(A)])
def test_a_condition_on_another_row_is_evaluated_per_row(value: MatchValue) -> None:
    assert isinstance(condition(A, call("GREATER_THAN", slot(0), number(4)), value), MatchCondition)


def test_a_condition_for_a_slice_has_a_byte_for_each_of_its_rows() -> None:
    assert condition(A, call("GREATER_THAN", slot(0), number(4)), price(A)).bind(rows().slice(2, 2)) == b"\1\0"


def test_a_condition_for_an_empty_batch_is_empty() -> None:
    assert condition(A, call("GREATER_THAN", slot(0), number(4)), price(A)).bind(rows([])) == b""


def failing() -> Condition:
    quotient = call("DIVIDE", number(10), slot(0), type_=IntType())
    return condition(A, call("GREATER_THAN", quotient, number(1)), price(A))


def test_a_condition_that_fails_for_a_row_is_evaluated_per_row() -> None:
    ask = asks(failing().bind(rows([0, 5, 20])))
    assert [ask((-1,), row, row) for row in (1, 2)] == [True, False]


def test_a_condition_fails_for_the_row_that_it_cannot_evaluate() -> None:
    ask = asks(failing().bind(rows([0, 5, 20])))
    with pytest.raises(TableRuntimeException, match="zero"):
        ask((-1,), 0, 0)


@paths
@pytest.mark.parametrize(
    ("value", "row", "expected"),
    [
        pytest.param(price(A), 4, 5, id="last row of an earlier variable"),
        pytest.param(price(A, offset=1), 4, None, id="before the first row of an earlier variable"),
        pytest.param(price(B), 4, 9, id="the candidate"),
        pytest.param(price(B, offset=1), 4, 3, id="row before the candidate"),
        pytest.param(price(B, offset=3), 4, None, id="a row that is NULL"),
        pytest.param(price(B, offset=4), 4, None, id="before the first row of the variable"),
        pytest.param(price(B, from_first=True), 3, None, id="first row of the variable"),
        pytest.param(price(B, from_first=True, offset=1), 3, 7, id="second row of the variable"),
        pytest.param(price(B, from_first=True, offset=3), 3, None, id="after the candidate"),
        pytest.param(price(C), 4, None, id="a later variable"),
        pytest.param(price(ABSENT), 4, None, id="a variable that is not in the pattern"),
        pytest.param(price(ANY, from_first=True), 4, 5, id="first row of the match"),
        pytest.param(price(ANY, offset=4), 4, 5, id="all rows of the match"),
        pytest.param(price(ANY, offset=5), 4, None, id="before the match"),
        pytest.param(total(A), 4, 5, id="sum of an earlier variable"),
        pytest.param(total(B), 4, 19, id="sum up to the candidate"),
        pytest.param(total(C), 4, None, id="sum of a later variable"),
        pytest.param(total(ABSENT), 4, None, id="sum of no variable"),
        pytest.param(total(ANY), 3, 15, id="sum of all rows"),
    ],
)
def test_a_value_of_the_match_is_that_of_its_row(
    path: Callable[[ResolvedExpression], ResolvedExpression], value: MatchValue, row: int, expected: int | None
) -> None:
    is_expected = call("IS_NULL", slot(0)) if expected is None else call("EQUALS", slot(0), number(expected))
    # A second value keeps the condition one over several rows.
    several_rows = call("AND", is_expected, call("IS_NOT_NULL", slot(1)))
    ask = asks(condition(B, path(several_rows), value, price(ANY, from_first=True)).bind(rows()))
    assert ask(FIRSTS, 0, row)


@paths
def test_the_first_candidate_of_a_variable_is_its_first_row(path: Callable[[ResolvedExpression], ResolvedExpression]) -> None:
    expression = path(call("EQUALS", slot(0), number(7)))
    assert asks(condition(B, expression, price(B, from_first=True)).bind(rows()))((1, -1, -1), 1, 2)


@paths
def test_the_rows_of_an_earlier_variable_end_before_the_candidate(path: Callable[[ResolvedExpression], ResolvedExpression]) -> None:
    """Rows 2 and 3 are Bs, row 4 is the first candidate for C."""
    expression = path(call("EQUALS", slot(0), number(10)))
    assert asks(condition(C, expression, total(B)).bind(rows()))((0, 2, -1), 0, 4)


@paths
@pytest.mark.parametrize("value", [price(B), total(B)])
def test_a_variable_that_was_left_out_has_no_rows(path: Callable[[ResolvedExpression], ResolvedExpression], value: MatchValue) -> None:
    expression = path(call("IS_NULL", slot(0)))
    assert asks(condition(C, expression, value).bind(rows()))((0, -1, -1), 0, 1)


@paths
def test_a_condition_that_is_null_is_not_satisfied(path: Callable[[ResolvedExpression], ResolvedExpression]) -> None:
    expression = path(call("GREATER_THAN", slot(0), slot(1)))
    assert not asks(condition(B, expression, price(B), price(A)).bind(rows()))(FIRSTS, 0, 1)


@paths
def test_positions_are_those_of_the_slice(path: Callable[[ResolvedExpression], ResolvedExpression]) -> None:
    expression = path(call("EQUALS", slot(0), number(7)))
    assert asks(condition(B, expression, price(A)).bind(rows().slice(2)))((0, 1, -1), 0, 1)


def test_a_computation_beyond_its_type_fails_as_in_the_kernels() -> None:
    product = call("TIMES", slot(0), slot(1), type_=IntType())
    ask = asks(condition(B, call("GREATER_THAN", product, number(0)), price(A), price(B)).bind(rows([2**30, 2**30])))
    with pytest.raises(TableRuntimeException, match="outside the range of INT"):
        ask((0, -1, -1), 0, 1)


def test_a_part_over_one_row_that_could_fail_is_evaluated_for_the_candidate_only() -> None:
    """Row 0 would divide by zero; it is not the candidate."""
    quotient = call("DIVIDE", number(10), slot(0), type_=IntType())
    ask = asks(condition(B, call("GREATER_THAN", quotient, slot(1)), price(B), price(A)).bind(rows([0, 5])))
    assert ask((0, -1, -1), 0, 1)


def test_an_aggregate_that_only_the_kernels_compute_is_computed_by_them() -> None:
    value = total(B, "STDDEV_POP", DoubleType())
    limit = ValueLiteralExpression(2.0, DoubleType(nullable=False))
    ask = asks(condition(B, call("EQUALS", slot(0, DoubleType()), limit), value).bind(rows([1, 5])))
    assert ask((-1, 0, -1), 0, 1)
