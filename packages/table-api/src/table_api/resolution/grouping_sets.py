"""GROUPING SETS, ROLLUP and CUBE: expansion of GROUP BY into a list of grouping sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

from table_api.expressions.grouping_sets import DistinctGroupingSets, GroupingSets, GroupingSetsKind
from table_api.expressions.unresolved import UnresolvedExpression
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression

MAX_SETS = 4096
"""More grouping sets than this are refused: CUBE of 13 columns is a mistake."""

MAX_KEYS = 63
"""The grouping id, a BIGINT, has one bit for each grouping column."""

_Set = tuple[ResolvedExpression, ...]


class ExpandedGroupBy(NamedTuple):
    """An expanded GROUP BY.

    ``sets`` are distinct, each in ascending order of positions in ``keys``; None means the one set of all keys. ``copies`` says how often
    each set occurs: GROUP_ID distinguishes the copies.
    """

    keys: list[ResolvedExpression]
    sets: tuple[tuple[int, ...], ...] | None
    copies: tuple[int, ...]


def has_no_keys(items: Sequence[UnresolvedExpression]) -> bool:
    """Returns whether all grouping sets are empty, as in ``GROUP BY ()``: there is a row over no rows, too."""
    return all(isinstance(item, (GroupingSets, DistinctGroupingSets)) and has_no_keys(_expressions_of(item)) for item in items)


def _expressions_of(item: GroupingSets | DistinctGroupingSets) -> list[UnresolvedExpression]:
    return [e for part in item.items for e in (part if isinstance(part, tuple) else (part,))]


def expand_grouping_sets(
    items: Sequence[UnresolvedExpression],
    resolve: Callable[[UnresolvedExpression], ResolvedExpression],
) -> ExpandedGroupBy:
    """Returns the expressions grouped by, each once, and the sets.

    Args:
        items: the items of GROUP BY.
        resolve: resolves one expression.

    Raises:
        ValidationException: there would be more than 4096 sets, or more than 63 columns in them.
    """
    distinct = items[0] if len(items) == 1 and isinstance(items[0], DistinctGroupingSets) else None
    if distinct is not None:
        items = distinct.items
    factors = [_sets(item, resolve) for item in items]
    count = 1
    for factor in factors:
        count *= len(factor)
    if count > MAX_SETS:
        raise ValidationException(f"GROUP BY would create {count} grouping sets; {MAX_SETS} are allowed.")
    combinations = [[e for part in combination for e in part] for combination in product(*factors)]
    positions = {e: i for i, e in enumerate(dict.fromkeys(e for one in combinations for e in one))}
    # Differs from Flink: repeated grouping sets have as many copies as they are written. Flink mixes them up: (a, b) twice and (a) three
    # times give three and two copies.
    copies = Counter(tuple(sorted({positions[e] for e in one})) for one in combinations)
    counts = (1,) * len(copies) if distinct is not None else tuple(copies.values())
    if len(copies) == 1:
        return ExpandedGroupBy(list(positions), None, counts)
    if len(positions) > MAX_KEYS:
        raise ValidationException(f"The grouping sets have {len(positions)} columns; {MAX_KEYS} are allowed.")
    return ExpandedGroupBy(list(positions), tuple(copies), counts)


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
        raise ValidationException(f"CUBE of {len(groups)} columns would create {2 ** len(groups)} grouping sets; {MAX_SETS} are allowed.")
    choices = range(2 ** len(groups) - 1, -1, -1)
    return [_joined([g for i, g in enumerate(groups) if choice >> (len(groups) - 1 - i) & 1]) for choice in choices]


def _joined(groups: Sequence[_Set]) -> _Set:
    return tuple(expression for group in groups for expression in group)
