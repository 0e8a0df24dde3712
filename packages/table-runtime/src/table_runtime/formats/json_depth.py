"""The nesting limit of JSON, checked before parsing, so that it does not depend on the parser's stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from table_common.tree import deep_recursion

__all__ = ["MOST_LEVELS", "MOST_LEVELS_OF_TYPES", "as_deep_as_it_is", "require_levels"]

MOST_LEVELS = 500
"""How many arrays and objects may be inside of each other."""
MOST_LEVELS_OF_TYPES = 64
"""The same where they become types of columns."""
_PLAIN_LEVELS = 50
"""What is parsed without more frames than a program has anyway."""
_SIGN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


def require_levels(text: str, most: int = MOST_LEVELS) -> int:
    """Returns at least how many arrays and objects of a text are inside of each other, 0 if that are few.

    Raises:
        ValueError: they are more than ``most``.
    """
    if text.count("[") + text.count("{") <= min(most, _PLAIN_LEVELS):
        return 0
    level = deepest = 0
    for found in _SIGN.finditer(text):
        sign = found[0][0]
        if sign in "[{":
            level += 1
            deepest = max(deepest, level)
        elif sign != '"':
            level -= 1
    if deepest > most:
        raise ValueError(f"its arrays and objects are more than {most} levels deep inside each other")
    return deepest


@contextmanager
def as_deep_as_it_is(text: str) -> Iterator[None]:
    """Makes room for the parser, which calls itself for each level.

    Raises:
        ValueError: there are more than ``MOST_LEVELS``.
    """
    if require_levels(text) <= _PLAIN_LEVELS:
        yield
        return
    with deep_recursion():
        yield
