"""The nesting limit of JSON, checked before parsing, so that it is independent of the parser's stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from table_common.tree import deep_recursion

__all__ = ["MOST_LEVELS", "MOST_LEVELS_OF_TYPES", "as_deep_as_it_is", "require_levels"]

MOST_LEVELS = 500
"""Maximum nesting depth of arrays and objects."""
MOST_LEVELS_OF_TYPES = 64
"""Maximum nesting depth for inferred column types."""
_PLAIN_LEVELS = 50
"""Nesting depth that needs no additional stack."""
_SIGN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


def require_levels(text: str, most: int = MOST_LEVELS) -> int:
    """Returns the nesting depth of arrays and objects in a text, or 0 if it is small.

    Raises:
        ValueError: the depth is greater than ``most``.
    """
    if text.count("[") + text.count("{") <= min(most, _PLAIN_LEVELS):
        return 0
    level = deepest = 0
    for match in _SIGN.finditer(text):
        sign = match[0][0]
        if sign in "[{":
            level += 1
            deepest = max(deepest, level)
        elif sign != '"':
            level -= 1
    if deepest > most:
        raise ValueError(f"its arrays and objects are nested more than {most} levels deep")
    return deepest


@contextmanager
def as_deep_as_it_is(text: str) -> Iterator[None]:
    """Raises the recursion limit for the parser, which recurses for each level.

    Raises:
        ValueError: the depth is greater than ``MOST_LEVELS``.
    """
    if require_levels(text) <= _PLAIN_LEVELS:
        yield
        return
    with deep_recursion():
        yield
