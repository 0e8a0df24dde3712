"""Compact JSON within the size limit of a value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from table_common.json_text import double_text, plain_quote
from table_common.json_text import write as written
from table_runtime.columns.value_size import LONG_TEXT, in_blocks


def write(value: Any, *, sort_keys: bool = False) -> str:
    """Returns compact JSON; characters beyond ASCII are not escaped.

    Raises:
        TableRuntimeException: a text in it is too long for a value.
    """
    return written(value, sort_keys=sort_keys, quote=quote)


def float_text(value: float) -> str:
    """Returns a DOUBLE as Flink writes it in JSON: ``1.0E+30``, ``0.00010``; NaN and Infinity are text."""
    text = double_text(repr(value))
    return quote(text) if text[-1] in "Ny" else str(Decimal(text)) if "E" in text else text


def quote(text: str, function: str = "JSON_STRING") -> str:
    """Returns the text as a JSON string. ``function`` is named in the error for a text that is too long."""
    if len(text) <= LONG_TEXT:
        return plain_quote(text)
    return f'"{in_blocks(function, text, lambda block: plain_quote(block)[1:-1])}"'
