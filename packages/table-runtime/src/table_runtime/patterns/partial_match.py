"""The assignment of a match's rows to pattern variables.

The rows of a match are contiguous and the variables have the order of the pattern, so the first row of each variable determines the
assignment: ``firsts`` holds the position of each variable's first row, -1 if it has none (yet).
"""

from __future__ import annotations

from collections.abc import Sequence

from table_runtime.patterns.pattern import ABSENT, ANY

Firsts = tuple[int, ...]


def rows_in_match(variable: int, start: int, end: int, firsts: Sequence[int]) -> tuple[int, int]:
    """Returns the range (end exclusive) of a variable's rows in a match of the rows ``start`` to ``end`` (inclusive)."""
    if variable == ANY:
        return start, end + 1
    if variable == ABSENT or firsts[variable] < 0:
        return 0, 0
    for first in firsts[variable + 1 :]:
        if first >= 0:
            return firsts[variable], first
    return firsts[variable], end + 1


def rows_in_condition(variable: int, current: int, start: int, row: int, firsts: Sequence[int]) -> tuple[int, int]:
    """Returns the range of a variable's rows in a partial match from ``start`` on, where ``row`` is the candidate for ``current``."""
    if variable == ANY:
        return start, row + 1
    if variable == current:
        first = firsts[variable]
        return (first if first >= 0 else row), row + 1
    return rows_in_match(variable, start, row - 1, firsts)
