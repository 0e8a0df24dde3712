"""Taking conditions apart: the parts of an AND, the columns they use, and equalities between the two sides of a join."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import comparison, logic
from table_common.tree import preorder, transform_up
from table_common.types import APPROXIMATE_NUMERICS

__all__ = ["JoinCondition", "conjuncts", "references", "split_condition"]


def conjuncts(condition: ResolvedExpression) -> list[ResolvedExpression]:
    """Returns the parts that must all be true, in order."""
    parts: list[ResolvedExpression] = []
    stack = [condition]
    while stack:
        part = stack.pop()
        if isinstance(part, CallExpression) and part.function is logic.AND:
            stack.extend(reversed(part.args))
        else:
            parts.append(part)
    return parts


def references(expression: ResolvedExpression) -> set[tuple[int, int]]:
    """Returns (input, column) of every reference."""
    return {
        (node.input_index, node.field_index)
        for node in preorder(expression, ResolvedExpression)
        if isinstance(node, FieldReferenceExpression)
    }


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """A join's condition as pairs of equal keys and what remains; key expressions refer to their own input as input 0."""

    left_keys: tuple[ResolvedExpression, ...]
    right_keys: tuple[ResolvedExpression, ...]
    null_equal: tuple[bool, ...]
    texts: tuple[str, ...]
    remaining: tuple[ResolvedExpression, ...]

    @property
    def key_types(self) -> list[pa.DataType]:
        """The Arrow types of the keys, equal on both sides."""
        return [to_arrow_type(key.output_type) for key in self.left_keys]


def split_condition(condition: ResolvedExpression | None) -> JoinCondition:
    """Finds the parts ``f(left) = g(right)`` of a condition."""
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
            remaining.append(part)  # the key of NaN finds NaN, which is distinct from itself
    return JoinCondition(tuple(left_keys), tuple(right_keys), tuple(null_equal), tuple(texts), tuple(remaining))


def _sides(part: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    one, other = part.args
    if not (_is_deterministic(one) and _is_deterministic(other)) or to_arrow_type(one.output_type) != to_arrow_type(other.output_type):
        return None
    inputs = [{reference[0] for reference in references(side)} for side in (one, other)]
    if inputs == [{0}, {1}]:
        return one, other
    return (other, one) if inputs == [{1}, {0}] else None


def _is_deterministic(expression: ResolvedExpression) -> bool:
    calls: Sequence[CallExpression] = [node for node in preorder(expression, ResolvedExpression) if isinstance(node, CallExpression)]
    return all(call.function.is_deterministic for call in calls)


def _as_first_input(expression: ResolvedExpression) -> ResolvedExpression:
    def change(node: ResolvedExpression) -> ResolvedExpression:
        return replace(node, input_index=0) if isinstance(node, FieldReferenceExpression) else node

    return transform_up(expression, ResolvedExpression, change)
