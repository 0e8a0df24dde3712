"""The patterns of LIKE and SIMILAR TO: one parser, and the regular expressions that both engines match with.

The expressions use only what Java's and Python's dialects have in common. They match a whole text if they are anchored at both of its ends,
and a dot in them has to match line breaks.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ANY, _ONE = "%", "_"
_OPERATORS = frozenset("()|*+?")
_SPECIAL = frozenset("%_[]()|*+?{}-^")
_PLAIN = re.compile(r"[^\W_]|[^\x00-\x7f]")
_REPETITION = re.compile(r"\{\d+(?:,\d*)?\}")
_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = {
    "ALPHA": "a-zA-Z",
    "UPPER": "A-Z",
    "LOWER": "a-z",
    "DIGIT": "0-9",
    "ALNUM": "a-zA-Z0-9",
    "SPACE": " ",
    "WHITESPACE": r" \t\n\x0b\f\r",
}


class PatternError(ValueError):
    """An invalid pattern or escape character; the text has the reason.

    Example:
        >>> like_parts("100!", "!!")
        Traceback (most recent call last):
        table_common.patterns.sql_patterns.PatternError: ...
    """


@lru_cache(maxsize=1024)
def like_parts(pattern: str, escape: str | None) -> tuple[tuple[bool, str], ...]:
    """Splits a LIKE pattern into pairs: whether the character is a wildcard, and the character. An empty ``escape`` means none.

    Raises:
        PatternError: ESCAPE has more than one character, or precedes a character other than ``%``, ``_`` and itself.
    """
    _check_escape(escape)
    parts: list[tuple[bool, str]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == escape:
            position += 1
            parts.append((False, _escaped(pattern, position, escape, f"{_ANY}{_ONE}")))
        else:
            parts.append((character in (_ANY, _ONE), character))
        position += 1
    return tuple(parts)


@lru_cache(maxsize=1024)
def like_regex(pattern: str, escape: str | None, *, is_atomic: bool = False) -> str:
    """Returns a LIKE pattern as a regular expression.

    With ``is_atomic`` each part between two ``%`` is an atomic group: only its first match can lead to a match of the whole. A backtracking
    matcher then takes time linear in the text. RE2 is linear anyway, and has no atomic groups.

    Raises:
        PatternError: as ``like_parts``.
    """
    parts = [""]
    for is_wildcard, character in like_parts(pattern, escape):
        if is_wildcard and character == _ANY:
            parts.append("")
        else:
            parts[-1] += "." if is_wildcard else _literal(character)
    if not is_atomic or len(parts) < 3:
        return ".*".join(parts)
    return parts[0] + "".join(f"(?>.*?{part})" for part in parts[1:-1] if part) + ".*" + parts[-1]


@lru_cache(maxsize=1024)
def similar_regex(pattern: str, escape: str | None) -> str:
    """Returns a SIMILAR TO pattern as a regular expression.

    Raises:
        PatternError: the pattern is malformed.
    """
    # Differs from Flink: a dot in a pattern of SIMILAR TO is literal, as in the SQL standard. In Flink it matches any character.
    _check_escape(escape)
    result: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == escape:
            position += 1
            result.append(_literal(_escaped(pattern, position, escape, "".join(sorted(_SPECIAL)))))
        elif character == "[":
            text, position = _set(pattern, position, escape)
            result.append(text)
        elif character in (_ANY, _ONE):
            result.append(".*" if character == _ANY else ".")
        elif character == "{":
            repetition = _REPETITION.match(pattern, position)
            if repetition is None:
                raise _malformed(pattern, "'{' begins a number of repetitions, as in {2,3}")
            result.append(repetition[0])
            position = repetition.end() - 1
        else:
            result.append(character if character in _OPERATORS else _literal(character))
        position += 1
    text = f"(?:{''.join(result)})"
    try:
        re.compile(text)
    except (re.error, OverflowError) as error:
        raise _malformed(pattern, str(error).partition(" at position")[0]) from error
    return text


def _set(pattern: str, start: int, escape: str | None) -> tuple[str, int]:
    """Returns the set of characters that begins at ``start``, and the position of its closing bracket."""
    position = start + 1
    result = ["["]
    if pattern.startswith("^", position):
        result.append("^")
        position += 1
    first = position
    while position < len(pattern):
        character = pattern[position]
        named = _CLASS.match(pattern, position)
        if character == escape:
            position += 1
            result.append(_literal(_escaped(pattern, position, escape, "".join(sorted(_SPECIAL)))))
        elif named is not None:
            members = _CLASSES.get(named[1].upper())
            if members is None:
                raise _malformed(pattern, f"there is no class '{named[1]}'; there are {', '.join(sorted(_CLASSES))}")
            result.append(members)
            position = named.end() - 1
        elif character == "]" and position > first:
            return "".join([*result, "]"]), position
        else:
            result.append(character if character == "-" else _literal(character))
        position += 1
    raise _malformed(pattern, "'[' is not closed")


def _check_escape(escape: str | None) -> None:
    # Differs from Flink: ESCAPE '' means that there is no escape character, and U+0000 is one like any other. Flink takes '' only beside a
    # constant pattern of LIKE without _, and U+0000 never.
    if escape is not None and len(escape) > 1:
        raise PatternError(f"ESCAPE takes one character, but got '{escape}'.")


def _escaped(pattern: str, position: int, escape: str, special: str) -> str:
    """Returns the character after the escape character."""
    if position == len(pattern):
        raise PatternError(f"The pattern '{pattern}' ends with its escape character '{escape}'.")
    if pattern[position] not in special and pattern[position] != escape:
        raise PatternError(
            f"The pattern '{pattern}' has its escape character '{escape}' before '{pattern[position]}' at position {position + 1}, "
            f"but only {' '.join(special)} and '{escape}' can be escaped."
        )
    return pattern[position]


def _literal(character: str) -> str:
    return character if _PLAIN.fullmatch(character) else f"\\x{ord(character):02x}"


def _malformed(pattern: str, reason: str) -> PatternError:
    return PatternError(f"'{pattern}' is not a pattern for SIMILAR TO: {reason}.")
