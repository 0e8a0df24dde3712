from __future__ import annotations

from collections import Counter

from table_common.expressions import CallExpression, ResolvedExpression
from table_common.types import BooleanType, RowType, parse_logical_type
from table_testing.conditions import conditions_over, is_true, one_of_each_kind

ROW = parse_logical_type("ROW<id BIGINT NOT NULL, name STRING, is_new BOOLEAN>")
ROWS = [(1, "one", True), (2, None, False), (3, "tone", None), (4, "vier", True)]


def conditions() -> list[ResolvedExpression]:
    assert isinstance(ROW, RowType)
    return conditions_over(ROW, ROWS)


def test_each_condition_is_boolean() -> None:
    assert all(isinstance(condition.output_type, BooleanType) for condition in conditions())


def test_conditions_cover_the_predicates_that_planners_push_down() -> None:
    names = {condition.function.name for condition in conditions() if isinstance(condition, CallExpression)}
    assert {"EQUALS", "IN", "NOT_IN", "BETWEEN", "IS_NULL", "LIKE", "AND", "OR", "NOT"} <= names


def test_a_comparison_with_null_is_true_for_no_row() -> None:
    counts = Counter(sum(is_true(condition, row) for row in ROWS) for condition in conditions())
    assert counts[0]


def test_negation_and_condition_are_never_both_true() -> None:
    for condition in conditions():
        if isinstance(condition, CallExpression) and condition.function.name == "NOT":
            assert not any(is_true(condition, row) and is_true(condition.args[0], row) for row in ROWS)


def test_one_condition_of_each_kind_is_chosen() -> None:
    chosen = one_of_each_kind(conditions(), ROWS)
    assert 0 < len(chosen) < len(conditions())
    assert len(one_of_each_kind(chosen, ROWS)) == len(chosen)
