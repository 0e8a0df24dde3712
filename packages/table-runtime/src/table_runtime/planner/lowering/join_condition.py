"""Splits a join condition into equalities between the inputs and a residual condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, ResolvedExpression, conjuncts, is_deterministic, map_references, references
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import comparison
from table_common.types import APPROXIMATE_NUMERICS

_IS_GREATER = {
    comparison.GREATER_THAN: (True, False),
    comparison.GREATER_THAN_OR_EQUAL: (True, True),
    comparison.LESS_THAN: (False, False),
    comparison.LESS_THAN_OR_EQUAL: (False, True),
}
"""Whether the first argument is greater, and whether both may be equal."""


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """A join condition as pairs of equal keys and a residual; key expressions refer to their own input as input 0."""

    left_keys: tuple[ResolvedExpression, ...]
    right_keys: tuple[ResolvedExpression, ...]
    null_equal: tuple[bool, ...]
    texts: tuple[str, ...]
    remaining: tuple[ResolvedExpression, ...]

    @property
    def key_types(self) -> list[pa.DataType]:
        """The Arrow types of the keys; equal on both sides."""
        return [to_arrow_type(key.output_type) for key in self.left_keys]


def split_condition(condition: ResolvedExpression | None) -> JoinCondition:
    """Extracts the conjuncts ``f(left) = g(right)`` of a condition."""
    left_keys, right_keys, null_equal, texts, remaining = [], [], [], [], []
    for part in conjuncts(condition) if condition is not None else []:
        sides = _sides(part)
        if sides is None:
            remaining.append(part)
            continue
        assert isinstance(part, CallExpression)
        left_keys.append(_as_first_input(sides[0]))
        right_keys.append(_as_first_input(sides[1]))
        null_equal.append(part.function is comparison.IS_NOT_DISTINCT_FROM)
        texts.append(str(part))
        if null_equal[-1] and isinstance(sides[0].output_type, APPROXIMATE_NUMERICS):
            remaining.append(part)  # a hash lookup matches NaN with NaN, but NaN IS NOT DISTINCT FROM NaN is false
    return JoinCondition(tuple(left_keys), tuple(right_keys), tuple(null_equal), tuple(texts), tuple(remaining))


@dataclass(frozen=True, slots=True)
class RangeComparison:
    """A conjunct ``g(right) > f(left)`` (``is_lower``) or ``g(right) < f(left)``; the expressions refer to their own input as input 0."""

    left: ResolvedExpression
    right: ResolvedExpression
    is_lower: bool
    includes_equal: bool


def range_comparisons(parts: Sequence[ResolvedExpression]) -> list[RangeComparison]:
    """Returns the comparisons among conjuncts that compare values of the same type of the two inputs."""
    found = []
    for part in parts:
        for first, second, first_is_greater, includes_equal in _comparisons(part):
            sides = _both_sides(first, second)
            if sides is not None:
                is_lower = first_is_greater is (first is sides[1])
                found.append(RangeComparison(_as_first_input(sides[0]), _as_first_input(sides[1]), is_lower, includes_equal))
    return found


def _comparisons(part: ResolvedExpression) -> Iterator[tuple[ResolvedExpression, ResolvedExpression, bool, bool]]:
    """Yields the compared values of a conjunct, whether the first is greater, and whether they may be equal."""
    if not isinstance(part, CallExpression):
        return
    if part.function is comparison.BETWEEN:
        value, least, greatest = part.args
        yield value, least, True, True
        yield value, greatest, False, True
    elif part.function in _IS_GREATER:
        first, second = part.args
        yield first, second, *_IS_GREATER[part.function]


def _sides(part: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    return _both_sides(*part.args)


def _both_sides(first: ResolvedExpression, second: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    """Returns the expressions over the left and over the right input; None if they are not, or have different types."""
    if not is_deterministic((first, second)) or to_arrow_type(first.output_type) != to_arrow_type(second.output_type):
        return None
    inputs = [{reference[0] for reference in references([side])} for side in (first, second)]
    if inputs == [{0}, {1}]:
        return first, second
    return (second, first) if inputs == [{1}, {0}] else None


def _as_first_input(expression: ResolvedExpression) -> ResolvedExpression:
    return map_references(expression, lambda reference: replace(reference, input_index=0))
