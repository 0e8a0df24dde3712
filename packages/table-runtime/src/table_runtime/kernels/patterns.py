"""LIKE and SIMILAR TO patterns, and Java's regular expressions, as regular expressions of Python and RE2."""

from __future__ import annotations

import re
from functools import lru_cache

from table_common.exceptions import TableRuntimeException

__all__ = ["java_pattern", "like_parts", "like_regex", "similar_regex", "to_arrow_like"]

_ANY, _ONE = "%", "_"


def like_parts(pattern: str, escape: str | None) -> list[tuple[bool, str]]:
    """Splits a LIKE pattern into (is wildcard, character).

    Raises:
        TableRuntimeException: the escape character stands before something else than ``%``, ``_`` or itself.
    """
    parts: list[tuple[bool, str]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if escape is not None and character == escape:
            position += 1
            if position == len(pattern) or pattern[position] not in (_ANY, _ONE, escape):
                raise TableRuntimeException(
                    f"Invalid escape sequence at position {position} of the pattern '{pattern}'.",
                    hint=f"Behind '{escape}' only %, _ and '{escape}' itself may stand.",
                )
            parts.append((False, pattern[position]))
        else:
            parts.append((character in (_ANY, _ONE), character))
        position += 1
    return parts


def to_arrow_like(parts: list[tuple[bool, str]]) -> str:
    """Writes the pattern as Arrow's ``match_like`` takes it, which escapes with a backslash."""
    return "".join(character if is_wildcard or character not in "%_\\" else f"\\{character}" for is_wildcard, character in parts)


@lru_cache(maxsize=1024)
def like_regex(pattern: str, escape: str | None) -> re.Pattern[str]:
    """Returns a LIKE pattern as a regular expression for ``fullmatch``."""
    parts = like_parts(pattern, escape)
    text = "".join((".*" if character == _ANY else ".") if is_wildcard else re.escape(character) for is_wildcard, character in parts)
    return re.compile(text, re.DOTALL)


_CLASSES = {
    "[:ALPHA:]": "a-zA-Z",
    "[:UPPER:]": "A-Z",
    "[:LOWER:]": "a-z",
    "[:DIGIT:]": "0-9",
    "[:ALNUM:]": "a-zA-Z0-9",
    "[:SPACE:]": " ",
    "[:WHITESPACE:]": r"\s",
}


@lru_cache(maxsize=1024)
def similar_regex(pattern: str, escape: str | None) -> re.Pattern[str]:
    """Returns a SIMILAR TO pattern as a regular expression for ``fullmatch``.

    Raises:
        TableRuntimeException: the pattern is malformed.
    """
    result: list[str] = []
    position = 0
    in_class = False
    while position < len(pattern):
        character = pattern[position]
        if escape is not None and character == escape:
            position += 1
            if position == len(pattern):
                raise TableRuntimeException(f"The pattern '{pattern}' ends with its escape character.")
            result.append(re.escape(pattern[position]))
        elif in_class:
            name = next((name for name in _CLASSES if pattern[position : position + len(name)].upper() == name), None)
            if name is not None:
                result.append(_CLASSES[name])
                position += len(name) - 1
            else:
                result.append("\\\\" if character == "\\" else character)
                in_class = character != "]"
        elif character == "[":
            result.append("[")
            in_class = True
        elif character in (_ANY, _ONE):
            result.append(".*" if character == _ANY else ".")
        else:
            result.append(character if character in "()|*+?{}" or character.isalnum() or character == "," else re.escape(character))
        position += 1
    try:
        return re.compile("".join(result), re.DOTALL)
    except re.error as error:
        raise TableRuntimeException(f"'{pattern}' is no pattern for SIMILAR TO: {error}.") from error


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
