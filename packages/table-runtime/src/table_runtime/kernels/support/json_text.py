"""Strict JSON parser and compact JSON writer."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from table_runtime.casts.to_text import double_text
from table_runtime.value_size import LONG_TEXT, in_blocks

__all__ = ["JsonNumber", "NumberText", "float_text", "parse", "quote", "write"]


class JsonNumber(Decimal):
    """A number with a fraction or an exponent that keeps all digits of its text, also trailing zeros."""


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def parse(
    text: str,
    object_hook: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None,
    *,
    keeps_digits: bool = False,
    number: Callable[[str], Any] | None = None,
) -> Any:
    """Parses JSON to Python values: dict, list, str, int, float (with ``keeps_digits``: ``JsonNumber``), bool, None.

    ``number``, if given, converts the text of numbers instead of int and float.

    Raises:
        ValueError: the text is not JSON.
    """
    try:
        parse_float = number or (JsonNumber if keeps_digits else None)
        return json.loads(text, object_pairs_hook=object_hook, parse_constant=_refuse, parse_float=parse_float, parse_int=number)
    except RecursionError as error:
        raise ValueError("the value is nested too deeply") from error


class NumberText(str):
    """The text of a number, which is written unchanged."""


def write(value: Any, *, sort_keys: bool = False) -> str:
    """Returns compact JSON; characters beyond ASCII are not escaped."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, float):
        return double_text(repr(value))
    if isinstance(value, JsonNumber):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        items = sorted(value.items()) if sort_keys else value.items()
        return "{" + ",".join(f"{quote(key)}:{write(item, sort_keys=sort_keys)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(item, sort_keys=sort_keys) for item in value) + "]"
    return quote(value) if isinstance(value, str) else json.dumps(value)


def float_text(value: float) -> str:
    """Returns a DOUBLE as Flink writes it in JSON: ``1.0E+30``, ``0.00010``; NaN and Infinity are text."""
    text = double_text(repr(value))
    return quote(text) if text[-1] in "Ny" else str(Decimal(text)) if "E" in text else text


def quote(text: str, function: str = "JSON_STRING") -> str:
    """Returns the text as a JSON string. ``function`` is named in the error for a text that is too long."""
    if len(text) <= LONG_TEXT:
        return json.dumps(text, ensure_ascii=False)
    return f'"{in_blocks(function, text, lambda block: json.dumps(block, ensure_ascii=False)[1:-1])}"'
