"""Which rows a partial match has given to which variable.

Rows of a match are neighbours and variables come in the order of the pattern, so it is enough to know where each variable begins:
``firsts`` holds the position of every variable's first row, -1 for one that has none (yet).
"""

from __future__ import annotations

from collections.abc import Sequence

from table_runtime.operators.match_recognize.pattern import ABSENT, ANY

__all__ = ["Firsts", "rows_in_condition", "rows_in_match"]

Firsts = tuple[int, ...]


def rows_in_match(variable: int, start: int, end: int, firsts: Sequence[int]) -> tuple[int, int]:
    """Returns where the rows of a variable begin and end (behind the last one) in a match of the rows ``start`` to ``end``, both in it."""
    if variable == ANY:
        return start, end + 1
    if variable == ABSENT or firsts[variable] < 0:
        return 0, 0
    for first in firsts[variable + 1 :]:
        if first >= 0:
            return firsts[variable], first
    return firsts[variable], end + 1


def rows_in_condition(variable: int, current: int, start: int, row: int, firsts: Sequence[int]) -> tuple[int, int]:
    """Returns the same for a partial match of the rows from ``start`` on, while ``row`` is tried for the variable ``current``."""
    if variable == ANY:
        return start, row + 1
    if variable == current:
        first = firsts[variable]
        return (first if first >= 0 else row), row + 1
    return rows_in_match(variable, start, row - 1, firsts)
