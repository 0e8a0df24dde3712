"""JSON text: strict reading, compact writing."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from table_runtime.casts.to_text import double_text

__all__ = ["parse", "quote", "write"]


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def parse(text: str, object_hook: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None) -> Any:
    """Returns the value as Python's own: dict, list, str, int, float, bool, None.

    Raises:
        ValueError: the text is not JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=object_hook, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the value is nested too deeply") from error


def write(value: Any, *, sort_keys: bool = False) -> str:
    """Returns compact JSON; characters beyond ASCII stay as they are."""
    if isinstance(value, float):
        return double_text(repr(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        items = sorted(value.items()) if sort_keys else value.items()
        return "{" + ",".join(f"{quote(key)}:{write(item, sort_keys=sort_keys)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(item, sort_keys=sort_keys) for item in value) + "]"
    return quote(value) if isinstance(value, str) else json.dumps(value)


def quote(text: str) -> str:
    """Returns the text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)
