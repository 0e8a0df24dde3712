"""Matching LIKE and SIMILAR TO patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from table_common.exceptions import TableRuntimeException
from table_common.patterns import PatternError, like_parts, like_regex, similar_regex
from table_runtime.kernels.support.regular_expressions import SafePattern, safe_pattern


def to_arrow_like(parts: Sequence[tuple[bool, str]]) -> str:
    """Returns the pattern for Arrow's ``match_like``, whose escape character is a backslash."""
    return "".join(character if is_wildcard or character not in "%_\\" else f"\\{character}" for is_wildcard, character in parts)


def matches_like(value: str, pattern: str, escape: str | None = None) -> bool:
    """Returns whether the text is LIKE the pattern.

    Raises:
        TableRuntimeException: the escape character precedes a character that cannot be escaped.
    """
    return _compiled(like_regex, pattern, escape).fullmatch(value) is not None


def matches_similar(value: str, pattern: str, escape: str | None = None) -> bool:
    """Returns whether the text is SIMILAR TO the pattern.

    Raises:
        TableRuntimeException: the pattern is malformed.
    """
    return _compiled(similar_regex, pattern, escape).fullmatch(value) is not None


@lru_cache(maxsize=1024)
def _compiled(regex: Callable[[str, str | None], str], pattern: str, escape: str | None) -> SafePattern:
    try:
        return safe_pattern(regex(pattern, escape), re.DOTALL)
    except PatternError as error:
        raise TableRuntimeException(str(error)) from error


def parts_of_like(pattern: str, escape: str | None) -> Sequence[tuple[bool, str]]:
    """Returns the pattern as pairs (whether it is a wildcard, character).

    Raises:
        TableRuntimeException: as ``matches_like``.
    """
    try:
        return like_parts(pattern, escape)
    except PatternError as error:
        raise TableRuntimeException(str(error)) from error
