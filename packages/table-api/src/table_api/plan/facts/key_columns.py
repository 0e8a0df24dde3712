"""Columns of unique keys: those that a condition compares, and their new positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from table_api.plan.facts.record import Key, Keys
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjuncts
from table_common.functions.builtin import comparison, conversion
from table_common.types import APPROXIMATE_NUMERICS, LogicalType, is_injective_cast

MOST_KEYS = 32
"""The maximum number of keys per node; the shortest are kept. Joins multiply the number of keys."""


def identifying_column(expression: ResolvedExpression) -> int | None:
    """Returns the column if the expression is injective in it: the column itself, or a cast that keeps different values different."""
    while isinstance(expression, CallExpression) and expression.function in (conversion.CAST, conversion.TRY_CAST):
        argument = expression.args[0]
        if not is_injective_cast(argument.output_type, expression.output_type):
            return None
        expression = argument
    return expression.field_index if isinstance(expression, FieldReferenceExpression) else None


def moved_keys(keys: Keys, positions: Mapping[int, Sequence[int]]) -> Iterable[Key]:
    """Yields the keys at their new positions; skips keys with a column that is not projected."""
    for key in keys:
        if all(column in positions for column in key):
            choices = product(*(positions[column] for column in sorted(key)))
            for number, choice in enumerate(choices):
                if number == MOST_KEYS:
                    break
                yield frozenset(choice)


def is_same_type(one: LogicalType, other: LogicalType) -> bool:
    """Returns whether two types differ at most in nullability."""
    return one.with_nullability(True) == other.with_nullability(True)


def equal_columns(condition: ResolvedExpression | None) -> tuple[tuple[Key, Key], bool]:
    """Returns the columns of both sides that a condition compares for equality, and whether the condition has other conjuncts."""
    pairs = equal_pairs(condition)
    has_more = condition is not None and len(pairs) < len(conjuncts(condition))
    return (frozenset(left for left, _ in pairs), frozenset(right for _, right in pairs)), has_more


def equal_pairs(condition: ResolvedExpression | None) -> list[tuple[int, int]]:
    """Returns the pairs of a left and a right column that a condition compares for equality."""
    compared = map(_compared_columns, conjuncts(condition) if condition is not None else ())
    return [columns for columns in compared if columns is not None]


def _compared_columns(part: ResolvedExpression) -> tuple[int, int] | None:
    """Returns the left and the right column of an equality conjunct; None for other conjuncts."""
    if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    one, other = part.args
    if not isinstance(one, FieldReferenceExpression) or not isinstance(other, FieldReferenceExpression):
        return None
    if one.input_index == other.input_index or not is_same_type(one.output_type, other.output_type):
        return None
    if isinstance(one.output_type, APPROXIMATE_NUMERICS):  # 0.0 equals -0.0, but they are two groups
        return None
    if one.input_index == 1:
        one, other = other, one
    return one.field_index, other.field_index


def smallest_key(keys: Iterable[frozenset[int]]) -> tuple[int, ...] | None:
    """Returns the columns of the smallest key; None if there is no key."""
    key = min(keys, key=lambda key: (len(key), sorted(key)), default=None)
    return None if key is None else tuple(sorted(key))
