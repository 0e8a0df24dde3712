"""A part that could fail is computed only for the rows that reach it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions.builtin import arithmetic, collections, comparison, conditional, conversion, logic
from table_common.types import IntType
from table_runtime.expressions import EvaluationContext, Evaluator

BATCH = pa.record_batch({"a": pa.array([7, 8, None, 9, 5], pa.int32()), "b": pa.array([0, 2, 3, None, 0], pa.int32())})


@pytest.fixture
def evaluate(context: EvaluationContext) -> Any:
    return lambda expression, batch=BATCH: Evaluator([expression], context).evaluate(batch)[0].to_pylist()


@pytest.fixture
def quotient(expressions: Any) -> CallExpression:
    """Fails where b is zero."""
    result: CallExpression = expressions.call(arithmetic.DIVIDE, expressions.column(0, "INT"), expressions.column(1, "INT"))
    return result


@pytest.fixture
def is_zero(expressions: Any) -> CallExpression:
    result: CallExpression = expressions.call(comparison.EQUALS, expressions.column(1, "INT"), 0)
    return result


def test_case_computes_a_branch_for_its_rows_only(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    assert evaluate(expressions.call(conditional.CASE, is_zero, -1, quotient)) == [-1, 4, None, None, -1]


def test_case_whose_condition_fails_still_fails(expressions: Any, evaluate: Any, quotient: Any) -> None:
    condition = expressions.call(comparison.EQUALS, quotient, 1)
    with pytest.raises(TableRuntimeException, match="Division by zero"):
        evaluate(expressions.call(conditional.CASE, condition, 1, 2))


def test_a_later_condition_of_case_sees_only_rows_that_are_left(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    is_four = expressions.call(comparison.EQUALS, quotient, 4)
    assert evaluate(expressions.call(conditional.CASE, is_zero, 0, is_four, 1, 2)) == [0, 1, 2, 2, 0]


def test_if_computes_a_branch_for_its_rows_only(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    assert evaluate(expressions.call(conditional.IF, is_zero, 1, quotient)) == [1, 4, None, None, 1]


def test_coalesce_computes_the_next_argument_where_those_before_are_null(expressions: Any, evaluate: Any, quotient: Any) -> None:
    first = expressions.column(1, "INT")
    other_way = expressions.call(arithmetic.DIVIDE, first, expressions.column(0, "INT"))
    assert evaluate(expressions.call(conditional.COALESCE, first, quotient, other_way)) == [0, 2, 3, None, 0]


def test_and_does_not_compute_what_cannot_matter(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    not_zero = expressions.call(logic.NOT, is_zero)
    big = expressions.call(comparison.GREATER_THAN, quotient, 1)
    assert evaluate(expressions.call(logic.AND, not_zero, big)) == [False, True, None, None, False]


def test_or_does_not_compute_what_cannot_matter(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    big = expressions.call(comparison.GREATER_THAN, quotient, 1)
    assert evaluate(expressions.call(logic.OR, is_zero, big)) == [True, True, None, None, True]


def test_unknown_and_false_is_false_also_when_guarded(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    unknown = expressions.call(comparison.EQUALS, expressions.column(0, "INT"), (None, "INT"))
    not_zero = expressions.call(logic.NOT, is_zero)
    never = expressions.call(comparison.GREATER_THAN, quotient, 100)
    assert evaluate(expressions.call(logic.AND, not_zero, unknown, never)) == [False, False, None, None, False]


def test_a_failing_cast_in_a_branch_that_no_row_takes_does_not_fail(expressions: Any, evaluate: Any) -> None:
    bad = expressions.call(conversion.CAST, "abc", IntType())
    a = expressions.column(0, "INT")
    never = expressions.call(comparison.EQUALS, a, -1)
    assert evaluate(expressions.call(conditional.CASE, never, bad, a)) == [7, 8, None, 9, 5]


def test_guarded_forms_nest_deeper_than_the_stack(expressions: Any, evaluate: Any) -> None:
    a, zero = expressions.column(0, "INT"), expressions.literal(0)
    tree: ResolvedExpression = zero
    for number in range(1500):
        hit = expressions.call(comparison.EQUALS, a, number)
        tree = CallExpression(conditional.CASE, (hit, expressions.call(arithmetic.DIVIDE, number, a), tree), IntType())
    assert evaluate(tree) == [1, 1, 0, 1, 1]


def test_rows_of_nested_values_are_put_together_again(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    of_quotient = expressions.call(collections.ARRAY, quotient)
    of_zero = expressions.call(collections.ARRAY, (None, "INT"))
    assert evaluate(expressions.call(conditional.CASE, is_zero, of_zero, of_quotient)) == [[None], [4], [None], [None], [None]]


def test_an_empty_batch_is_no_problem_for_guarded_forms(expressions: Any, evaluate: Any, quotient: Any, is_zero: Any) -> None:
    for function, args in ((conditional.CASE, (is_zero, 1, quotient)), (conditional.COALESCE, (quotient, quotient))):
        assert evaluate(expressions.call(function, *args), BATCH.slice(0, 0)) == []
    big = expressions.call(comparison.GREATER_THAN, quotient, 1)
    assert evaluate(expressions.call(logic.AND, is_zero, big), BATCH.slice(0, 0)) == []
