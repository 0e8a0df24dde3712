"""LIKE and SIMILAR TO patterns as Java regular expressions."""

from __future__ import annotations

from table_common.exceptions import ValidationException

__all__ = ["like_to_regex", "similar_to_regex"]

_SPECIAL = frozenset("\\.[]{}()<>*+-=!?^$|")


def like_to_regex(pattern: str, escape: str | None) -> str:
    """Returns the expression that matches the whole text; without an escape character nothing escapes.

    Raises:
        ValidationException: the escape character is followed by something else than ``%``, ``_`` or itself.
    """
    return f"(?s)\\A{_translate(pattern, escape, similar=False)}\\z"


def similar_to_regex(pattern: str, escape: str | None) -> str:
    """Returns the expression that matches the whole text; beside ``%`` and ``_`` the signs of regular expressions hold."""
    return f"(?s)\\A(?:{_translate(pattern, escape, similar=True)})\\z"


def _translate(pattern: str, escape: str | None, *, similar: bool) -> str:
    if escape is not None and len(escape) != 1:
        raise ValidationException(f"ESCAPE takes one character, but got '{escape}'.")
    parts: list[str] = []
    position = 0
    in_set = False
    while position < len(pattern):
        character = pattern[position]
        if character == escape:
            position += 1
            if position == len(pattern) or (not similar and pattern[position] not in ("%", "_", escape)):
                raise ValidationException(f"The pattern '{pattern}' has the escape character '{escape}' before nothing that it can escape.")
            parts.append(_plain(pattern[position]))
        elif similar and in_set:
            in_set = character != "]"
            parts.append("\\\\" if character == "\\" else character)
        elif similar and character == "[":
            in_set = True
            parts.append(character)
        elif character == "%":
            parts.append(".*")
        elif character == "_":
            parts.append(".")
        elif similar and character in "|*+?{}()":
            parts.append(character)
        else:
            parts.append(_plain(character))
        position += 1
    return "".join(parts)


def _plain(character: str) -> str:
    return "\\" + character if character in _SPECIAL else character
