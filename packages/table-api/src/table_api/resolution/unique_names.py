"""Unique names for columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


def unique_names(names: Sequence[str]) -> list[str]:
    """Returns the names with numbers appended to repeated ones, as SQL names repeated columns of SELECT: a, a0, a1."""
    taken: set[str] = set()
    tried: dict[str, int] = {}
    result = []
    for name in names:
        candidate, number = name, tried.get(name, 0)
        while candidate in taken:
            candidate = f"{name}{number}"
            number += 1
        tried[name] = number
        taken.add(candidate)
        result.append(candidate)
    return result


def repeated_names(names: Iterable[str]) -> list[str]:
    """Returns the names that occur more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)
