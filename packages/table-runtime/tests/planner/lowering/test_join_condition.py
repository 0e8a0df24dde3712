"""The parts of a join condition."""

from __future__ import annotations

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjunction
from table_common.functions.builtin import comparison
from table_common.types import BigIntType, BooleanType, IntType, LogicalType
from table_runtime.planner.lowering.join_condition import range_comparisons, split_condition


def _column(side: int, position: int, type_: LogicalType | None = None) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"c{position}", type_ or IntType(), side, position)


def _call(function: object, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(function, args, BooleanType())  # type: ignore[arg-type]


def test_equalities_of_both_inputs_are_keys_and_the_rest_remains() -> None:
    less = _call(comparison.LESS_THAN, _column(0, 1), _column(1, 1))
    parts = split_condition(conjunction([_call(comparison.EQUALS, _column(1, 2), _column(0, 3)), less]))
    assert parts.left_keys == (_column(0, 3),)
    assert parts.right_keys == (_column(0, 2),)  # its own input is input 0
    assert parts.remaining == (less,)


def test_keys_of_different_types_remain() -> None:
    equal = _call(comparison.EQUALS, _column(0, 1), _column(1, 1, BigIntType()))
    assert split_condition(equal).remaining == (equal,)


def test_comparisons_bound_the_right_side() -> None:
    left, right = _column(0, 1), _column(1, 2)
    expected = {
        comparison.LESS_THAN: (True, False),
        comparison.LESS_THAN_OR_EQUAL: (True, True),
        comparison.GREATER_THAN: (False, False),
        comparison.GREATER_THAN_OR_EQUAL: (False, True),
    }
    for function, (is_lower, includes_equal) in expected.items():
        (found,) = range_comparisons([_call(function, left, right)])
        (turned,) = range_comparisons([_call(function, right, left)])
        assert (found.left, found.right, found.is_lower, found.includes_equal) == (left, _column(0, 2), is_lower, includes_equal)
        assert (turned.is_lower, turned.includes_equal) == (not is_lower, includes_equal)


def test_between_is_two_bounds_of_which_one_may_use_one_side_only() -> None:
    found = range_comparisons([_call(comparison.BETWEEN, _column(1, 2), _column(0, 0), _column(0, 1))])
    assert [(one.left.field_index, one.is_lower) for one in found] == [(0, True), (1, False)]  # type: ignore[attr-defined]
    assert len(range_comparisons([_call(comparison.BETWEEN, _column(1, 2), _column(0, 0), _column(1, 1))])) == 1
