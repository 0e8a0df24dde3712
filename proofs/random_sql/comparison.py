"""Compares results as multisets of rows; floats at a tolerance, other numbers exactly, whatever their types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from random_sql.engines import Outcome

_RELATIVE = 1e-6
"""FLOAT has seven digits."""
_ABSOLUTE = 1e-6
"""The spread of equal numbers is the root of what rounding leaves."""


def difference(ours: Outcome, theirs: Outcome) -> str | None:
    """Returns what differs, None if nothing does: ``rows``, or the error that only one of them has."""
    if ours.error is not None and theirs.error is not None:
        return None
    if ours.error is not None:
        return f"error: {signature(ours)}"
    if theirs.error is not None:
        return f"no error: {signature(theirs)}"
    return None if same_rows(ours.rows, theirs.rows) else "rows"


def signature(outcome: Outcome) -> str:
    """Returns the kind of an error, without the names and values in it."""
    first = (outcome.error or "").split("\n")[0]
    words = [word for word in first.split() if word.isalpha()]
    return f"{outcome.kind}: {' '.join(words[:8])}"


def same_rows(left: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> bool:
    """Returns whether both have the same rows, in whatever order."""
    if len(left) != len(right):
        return False
    one, other = sorted(left, key=_key), sorted(right, key=_key)
    if all(map(_same_row, one, other)):
        return True
    if len(one) > 2000:
        return False
    rest = list(other)
    for row in one:  # floats that are nearly equal may be sorted in another order
        found = next((i for i, candidate in enumerate(rest) if _same_row(row, candidate)), None)
        if found is None:
            return False
        rest.pop(found)
    return True


def _key(row: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(_text, row))


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return repr(value)
    if value != value:
        return "nan"
    number = float(value)
    return f"{0.0 if number == 0 else number:.5e}"


def _same_row(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all(map(_same, left, right))


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, float) or isinstance(right, float):
        if not isinstance(left, (int, float, Decimal)) or not isinstance(right, (int, float, Decimal)):
            return False
        a, b = float(left), float(right)
        return (a != a and b != b) or math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
    if isinstance(left, (int, Decimal)) and isinstance(right, (int, Decimal)):
        return left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return _same_row(list(left.values()), list(right.values()))
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return _same_row(left, right)
    return bool(left == right)
