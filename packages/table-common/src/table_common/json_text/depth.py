"""The nesting limit of JSON, checked before parsing, so that it is independent of the parser's stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from table_common.tree import deep_recursion

MOST_LEVELS = 500
"""Maximum nesting depth of arrays and objects."""
MOST_LEVELS_OF_TYPES = 64
"""Maximum nesting depth for inferred column types."""
PLAIN_LEVELS = 50
"""Nesting depth that needs no additional stack."""
_NO_SIGNS = bytes(set(range(256)).difference(b'"\\[]{}'))
_INNERMOST = re.compile(rb"\[\]|\{\}")
_SIGN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


def require_levels(text: str, most: int = MOST_LEVELS) -> int:
    """Returns the nesting depth of arrays and objects in a text, or 0 if it is small.

    Raises:
        ValueError: the depth is greater than ``most``.
    """
    if text.count("[") + text.count("{") <= min(most, PLAIN_LEVELS):
        return 0
    deepest = _levels_without_texts(text)
    if deepest is None:
        deepest = _levels(text)
    if deepest > most:
        raise ValueError(f"its arrays and objects are nested more than {most} levels deep")
    return deepest


def _levels_without_texts(text: str) -> int | None:
    """Returns a small depth, several times faster; None if texts have brackets or escapes, or the brackets do not match."""
    signs = text.encode("utf-8", "surrogatepass").translate(None, _NO_SIGNS).replace(b'""', b"")
    if b'"' in signs or b"\\" in signs:
        return None
    levels = 0
    while signs:
        without = _INNERMOST.sub(b"", signs)
        if levels == PLAIN_LEVELS or len(without) == len(signs):
            return None
        signs, levels = without, levels + 1
    return levels


def _levels(text: str) -> int:
    level = deepest = 0
    for match in _SIGN.finditer(text):
        sign = match[0][0]
        if sign in "[{":
            level += 1
            deepest = max(deepest, level)
        elif sign != '"':
            level -= 1
    return deepest


@contextmanager
def as_deep_as_it_is(text: str) -> Iterator[None]:
    """Raises the recursion limit for the parser, which recurses for each level.

    Raises:
        ValueError: the depth is greater than ``MOST_LEVELS``.
    """
    if require_levels(text) <= PLAIN_LEVELS:
        yield
        return
    with deep_recursion():
        yield
