"""VARIANT values, which are stored as canonical JSON text: sorted object keys, no blanks, one notation per number."""

from __future__ import annotations

from math import isfinite
from typing import Any

from table_common.json_text.double_text import double_text
from table_common.json_text.values import NumberText, parse, write

_MAX_DIGITS = 38


def variant_text(text: str, *, allow_duplicates: bool = False) -> str:
    """Returns JSON text as the value of a VARIANT; with ``allow_duplicates``, the last of equal keys of an object counts.

    Raises:
        ValueError: the text is not JSON, is nested too deeply, or has a key twice in an object.
    """
    return write(parse(text, None if allow_duplicates else _unique, number=_number), sort_keys=True)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key occurs twice in an object")
    return result


def _number(text: str) -> NumberText | str:
    """Returns the canonical text of a number: a decimal without trailing zeros, or a DOUBLE for an exponent or too many digits."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, fraction = digits.partition(".")
    if "e" in text or "E" in text or len(fraction) > _MAX_DIGITS or len((whole + fraction).lstrip("0")) > _MAX_DIGITS:
        value = float(text)
        return NumberText(double_text(repr(value))) if isfinite(value) else double_text(repr(value))
    fraction = fraction.rstrip("0")
    shown = f"{whole}.{fraction}" if fraction else whole
    return NumberText(shown if shown == "0" else sign + shown)
