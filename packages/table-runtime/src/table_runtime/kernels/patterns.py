"""Matching LIKE and SIMILAR TO patterns, and Java's regular expressions as ones of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from table_common.exceptions import TableRuntimeException
from table_common.functions import PatternError, like_parts, like_regex, similar_regex

__all__ = ["java_pattern", "matches_like", "matches_similar", "parts_of_like", "to_arrow_like"]


def to_arrow_like(parts: Sequence[tuple[bool, str]]) -> str:
    """Writes the pattern as Arrow's ``match_like`` takes it, which escapes with a backslash."""
    return "".join(character if is_wildcard or character not in "%_\\" else f"\\{character}" for is_wildcard, character in parts)


def matches_like(value: str, pattern: str, escape: str | None = None) -> bool:
    """Whether the text is LIKE the pattern.

    Raises:
        TableRuntimeException: the pattern has an escape character before something that it cannot escape.
    """
    return _compiled(like_regex, pattern, escape).fullmatch(value) is not None


def matches_similar(value: str, pattern: str, escape: str | None = None) -> bool:
    """Whether the text is SIMILAR TO the pattern.

    Raises:
        TableRuntimeException: the pattern is malformed.
    """
    return _compiled(similar_regex, pattern, escape).fullmatch(value) is not None


@lru_cache(maxsize=1024)
def _compiled(regex: Callable[[str, str | None], str], pattern: str, escape: str | None) -> re.Pattern[str]:
    try:
        return re.compile(regex(pattern, escape), re.DOTALL)
    except PatternError as error:
        raise TableRuntimeException(str(error)) from error


def parts_of_like(pattern: str, escape: str | None) -> Sequence[tuple[bool, str]]:
    """Returns pairs: whether it is a wildcard, and the character.

    Raises:
        TableRuntimeException: as ``matches_like``.
    """
    try:
        return like_parts(pattern, escape)
    except PatternError as error:
        raise TableRuntimeException(str(error)) from error


_POSIX = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7F",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "Blank": r" \t",
    "XDigit": "0-9a-fA-F",
    "Space": r"\s",
}
_PROPERTY = re.compile(r"\\(p|P)\{(\w+)\}")


@lru_cache(maxsize=1024)
def java_pattern(pattern: str) -> re.Pattern[str] | None:
    """Compiles a regular expression written for Java; None if it is none, or uses what Python's ``re`` lacks."""
    text = re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", pattern)

    def posix(match: re.Match[str]) -> str:
        inside = _POSIX.get(match[2])
        if inside is None:
            raise re.error(f"unknown property {match[2]}")
        return f"[{'^' if match[1] == 'P' else ''}{inside}]"

    try:
        # Java's \d, \w and \s are ASCII unless told otherwise.
        return re.compile(_PROPERTY.sub(posix, text).replace(r"\z", r"\Z").replace(r"\h", r"[ \t]"), re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return None
