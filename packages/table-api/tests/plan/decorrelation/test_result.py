"""Expressions over a query and its outer row."""

from __future__ import annotations

from table_api.operations import OuterReferenceExpression
from table_api.plan.calls import call
from table_api.plan.decorrelation.result import outer_positions, split_equality
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.types import IntType

COLUMN = FieldReferenceExpression("a", IntType(), 0, 0)
OUTER = OuterReferenceExpression("b", IntType(), 3)


def test_an_equality_with_the_outer_row_is_split_whichever_side_it_is_on() -> None:
    assert split_equality(call(comparison.EQUALS, COLUMN, OUTER)) == (COLUMN, OUTER)
    assert split_equality(call(comparison.EQUALS, OUTER, COLUMN)) == (COLUMN, OUTER)


def test_other_conditions_are_not_split() -> None:
    assert split_equality(call(comparison.LESS_THAN, COLUMN, OUTER)) is None
    assert split_equality(call(comparison.EQUALS, COLUMN, COLUMN)) is None


def test_the_positions_of_outer_references_are_those_of_the_arguments() -> None:
    assert set(outer_positions([call(comparison.EQUALS, COLUMN, OUTER), COLUMN])) == {3}
