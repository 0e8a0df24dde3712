"""Splits a join condition into equalities between the inputs and a residual condition."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, ResolvedExpression, conjuncts, is_deterministic, map_references, references
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import comparison
from table_common.types import APPROXIMATE_NUMERICS

__all__ = ["JoinCondition", "split_condition"]


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


def _sides(part: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    first, second = part.args
    if not is_deterministic(part.args) or to_arrow_type(first.output_type) != to_arrow_type(second.output_type):
        return None
    inputs = [{reference[0] for reference in references([side])} for side in (first, second)]
    if inputs == [{0}, {1}]:
        return first, second
    return (second, first) if inputs == [{1}, {0}] else None


def _as_first_input(expression: ResolvedExpression) -> ResolvedExpression:
    return map_references(expression, lambda reference: replace(reference, input_index=0))
