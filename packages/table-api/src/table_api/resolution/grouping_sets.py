"""GROUPING SETS, ROLLUP and CUBE: the list of sets that GROUP BY stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from table_api.expressions.grouping_sets import GroupingSets, GroupingSetsKind
from table_api.expressions.unresolved import UnresolvedExpression
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression

__all__ = ["expand_grouping_sets"]

MAX_SETS = 4096
"""More grouping sets than this are refused: CUBE of 13 columns is a mistake."""

_Set = tuple[ResolvedExpression, ...]


def expand_grouping_sets(
    items: Sequence[UnresolvedExpression],
    resolve: Callable[[UnresolvedExpression], ResolvedExpression],
) -> tuple[list[ResolvedExpression], tuple[tuple[int, ...], ...] | None]:
    """Returns the expressions grouped by, each once, and the sets as positions in them; None if there is but one set of all.

    Args:
        items: the items of GROUP BY.
        resolve: resolves one expression.

    Raises:
        ValidationException: there would be more than 4096 sets.
    """
    plain = not any(isinstance(item, GroupingSets) for item in items)
    factors = [_sets(item, resolve) for item in items]
    count = 1
    for factor in factors:
        count *= len(factor)
    if count > MAX_SETS:
        raise ValidationException(f"GROUP BY would make {count} grouping sets; {MAX_SETS} are allowed.")
    sets = [tuple(dict.fromkeys(e for part in combination for e in part)) for combination in product(*factors)]
    expressions = list(dict.fromkeys(e for one in sets for e in one))
    if plain:
        return expressions, None
    return expressions, tuple(tuple(expressions.index(e) for e in one) for one in sets)


def _sets(
    item: UnresolvedExpression,
    resolve: Callable[[UnresolvedExpression], ResolvedExpression],
) -> list[_Set]:
    if not isinstance(item, GroupingSets):
        return [(resolve(item),)]
    if item.kind is GroupingSetsKind.GROUPING_SETS:
        nested = [[tuple(map(resolve, e))] if isinstance(e, tuple) else _sets(e, resolve) for e in item.items]
        return [one for sets in nested for one in sets]
    groups = [tuple(map(resolve, element)) for element in item.items if isinstance(element, tuple)]
    if item.kind is GroupingSetsKind.ROLLUP:
        return [_joined(groups[:length]) for length in range(len(groups), -1, -1)]
    if len(groups) > 12:
        raise ValidationException(f"CUBE of {len(groups)} columns would make {2 ** len(groups)} grouping sets; {MAX_SETS} are allowed.")
    choices = range(2 ** len(groups) - 1, -1, -1)
    return [_joined([g for i, g in enumerate(groups) if choice >> (len(groups) - 1 - i) & 1]) for choice in choices]


def _joined(groups: Sequence[_Set]) -> _Set:
    return tuple(expression for group in groups for expression in group)
