"""Pairs of plans: fold_constants.test."""

from __future__ import annotations

from typing import cast

import pytest
from plan_pairs import Arithmetic, Pair, planned

from table_api.delegation import Planner
from table_api.plan.calls import call, number
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.fold_constants import MAX_FOLDED_SIZE, constant_of, fold_constants
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import arithmetic
from table_common.types import BigIntType


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, fold_constants)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context)
    assert fold_constants(plan, context) is plan


PLANNER = cast("Planner", Arithmetic())


def test_a_nested_constant_expression_has_a_value(context: RuleContext) -> None:
    context = RuleContext(context.session, PLANNER)
    value = constant_of(call(arithmetic.PLUS, number(1), call(arithmetic.PLUS, number(2), number(3))), context)
    assert isinstance(value, ValueLiteralExpression)
    assert value.value == 6


@pytest.mark.parametrize("operand", [FieldReferenceExpression("a", BigIntType(), 0, 0), call(arithmetic.DIVIDE, number(1), number(0))])
def test_an_expression_with_a_column_or_without_a_value_is_no_constant(operand: FieldReferenceExpression, context: RuleContext) -> None:
    assert constant_of(call(arithmetic.PLUS, number(1), operand), RuleContext(context.session, PLANNER)) is None


def test_without_a_planner_calls_of_constants_stay(context: RuleContext) -> None:
    plan = planned("SELECT age + (1 + 2) AS a FROM t", context)
    assert "(1 + 2)" in plan_text(fold_constants(plan, RuleContext(context.session)))


def test_a_statement_with_much_folded_text_leaves_further_calls_to_the_engine(context: RuleContext) -> None:
    context = RuleContext(context.session, PLANNER, folded_size=MAX_FOLDED_SIZE + 1)
    assert constant_of(call(arithmetic.PLUS, number(1), number(2)), context) is None
