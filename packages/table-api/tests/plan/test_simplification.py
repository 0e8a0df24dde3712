"""Simplification of conditions that contain constants."""

from __future__ import annotations

import pytest

from table_api.plan.calls import boolean, call
from table_api.plan.simplification import MOST_EQUALITIES, simplified
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.expressions.algebra import disjunction
from table_common.functions.builtin import comparison, logic
from table_common.types import BooleanType, IntType

P = FieldReferenceExpression("p", BooleanType(), 0, 0)
Q = FieldReferenceExpression("q", BooleanType(), 0, 1)
CERTAIN = FieldReferenceExpression("c", IntType(nullable=False), 0, 2)


def _one_of(count: int) -> CallExpression:
    equalities = [call(comparison.EQUALS, CERTAIN, ValueLiteralExpression(n, IntType(nullable=False))) for n in range(count)]
    condition = disjunction(equalities)
    assert isinstance(condition, CallExpression)
    return condition


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (call(logic.AND, P, boolean(True)), P),
        (call(logic.OR, P, boolean(False)), P),
        (call(logic.NOT, call(logic.NOT, P)), P),
    ],
)
def test_what_does_not_decide_is_removed(condition: CallExpression, expected: ResolvedExpression) -> None:
    assert simplified(condition) == expected


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        (call(logic.AND, P, boolean(False)), False),
        (call(logic.OR, P, boolean(True)), True),
        (call(comparison.IS_NULL, CERTAIN), False),
        (call(comparison.IS_NOT_NULL, CERTAIN), True),
    ],
)
def test_what_is_decided_becomes_a_constant(condition: CallExpression, value: bool) -> None:
    result = simplified(condition)
    assert isinstance(result, ValueLiteralExpression)
    assert result.value is value


@pytest.mark.parametrize("condition", [call(logic.AND, P, Q), call(comparison.IS_NULL, P), call(logic.NOT, P)])
def test_what_depends_on_a_row_is_returned_itself(condition: CallExpression) -> None:
    assert simplified(condition) is condition


def test_many_equalities_of_a_column_become_in() -> None:
    result = simplified(_one_of(MOST_EQUALITIES))
    assert isinstance(result, CallExpression)
    assert (result.function, len(result.args)) == (comparison.IN, MOST_EQUALITIES + 1)


def test_few_equalities_stay() -> None:
    condition = _one_of(MOST_EQUALITIES - 1)
    assert simplified(condition) is condition
