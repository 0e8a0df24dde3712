"""Joins: their schema and their condition."""

from __future__ import annotations

import pytest

from table_api.operations import JoinQueryOperation, JoinType, ValuesQueryOperation
from table_api.plan.calls import call
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.types import IntType

LEFT = ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType(nullable=False))]))
RIGHT = ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType(nullable=False)), ("b", IntType(nullable=False))]))
LEFT_A, RIGHT_A = (FieldReferenceExpression("a", IntType(nullable=False), side, 0) for side in (0, 1))


@pytest.mark.parametrize(
    ("kind", "nullable"),
    [
        (JoinType.INNER, [False, False, False]),
        (JoinType.LEFT_OUTER, [False, True, True]),
        (JoinType.RIGHT_OUTER, [True, False, False]),
        (JoinType.FULL_OUTER, [True, True, True]),
        (JoinType.SEMI, [False]),
        (JoinType.ANTI, [False]),
    ],
)
def test_the_side_that_an_outer_join_may_leave_out_is_nullable(kind: JoinType, nullable: list[bool]) -> None:
    schema = JoinQueryOperation(LEFT, RIGHT, kind, None).resolved_schema
    assert schema.column_names == ("a", "a", "b")[: len(nullable)]
    assert [type_.nullable for type_ in schema.column_types] == nullable


def test_the_condition_is_boolean() -> None:
    with pytest.raises(ValidationException, match="The condition of a join takes BOOLEAN, but the expression is of type INT"):
        JoinQueryOperation(LEFT, RIGHT, JoinType.INNER, LEFT_A)


def test_explain_names_the_side_of_each_column() -> None:
    join = JoinQueryOperation(LEFT, RIGHT, JoinType.INNER, call(comparison.EQUALS, LEFT_A, RIGHT_A))
    assert join.summary_name == "Join"
    assert list(join.summary_details()) == [("joinType", "InnerJoin"), ("where", "(left.a = right.a)")]


def test_a_cross_join_is_shown_with_the_condition_true() -> None:
    assert dict(JoinQueryOperation(LEFT, RIGHT, JoinType.INNER, None).summary_details())["where"] == "true"
