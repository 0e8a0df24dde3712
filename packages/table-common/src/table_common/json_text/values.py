"""Strict JSON parser and compact JSON writer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from table_common.json_text.depth import PLAIN_LEVELS, require_levels
from table_common.json_text.double_text import double_text
from table_common.tree import deep_recursion


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
        ValueError: the text is not JSON, is nested too deeply, or has an integer of more digits than Python converts.
    """
    parse_float = number or (JsonNumber if keeps_digits else None)
    if require_levels(text) <= PLAIN_LEVELS:
        return _loaded(text, object_hook, parse_float, number)
    with deep_recursion():
        return _loaded(text, object_hook, parse_float, number)


def _loaded(text: str, object_hook: Any, parse_float: Any, parse_int: Any) -> Any:
    decoder = _decoder(object_hook, parse_float, parse_int)
    try:
        value, end = decoder.raw_decode(text)
        if end == len(text) or not text[end:].strip(" \t\n\r"):
            return value
    except ValueError:
        pass  # decode says what is wrong
    try:
        return decoder.decode(text)
    except ValueError as error:
        if "integer string conversion" not in str(error):
            raise
        raise ValueError(f"it has an integer of more than {sys.get_int_max_str_digits():,} digits") from error


@lru_cache(maxsize=16)
def _decoder(object_hook: Any, parse_float: Any, parse_int: Any) -> json.JSONDecoder:
    """Returns a decoder, which takes longer to make than a short text to parse."""
    return json.JSONDecoder(object_pairs_hook=object_hook, parse_constant=_refuse, parse_float=parse_float, parse_int=parse_int)


class NumberText(str):
    """The text of a number, which is written unchanged."""


def plain_quote(text: str) -> str:
    """Returns the text as a JSON string; characters beyond ASCII are not escaped."""
    return json.dumps(text, ensure_ascii=False)


def write(value: Any, *, sort_keys: bool = False, quote: Callable[[str], str] = plain_quote) -> str:
    """Returns compact JSON; ``quote`` writes texts and keys."""
    try:
        return _written(value, sort_keys, quote)
    except RecursionError:  # as few values are nested so deep, it is not worth a test of all
        with deep_recursion():
            return _written(value, sort_keys, quote)


def _written(value: Any, sort_keys: bool, quote: Callable[[str], str]) -> str:
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
        # A list, because a generator within join() counts against the limit of recursion in C, which is low in Python 3.12.
        return "{" + ",".join([f"{quote(key)}:{_written(item, sort_keys, quote)}" for key, item in items]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_written(item, sort_keys, quote) for item in value]) + "]"
    return quote(value) if isinstance(value, str) else json.dumps(value)
