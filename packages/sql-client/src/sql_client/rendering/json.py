"""Results as one JSON object a line, for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TextIO

from table_api import ResultKind, TableResult

__all__ = ["render_json"]


def render_json(result: TableResult, output: TextIO, before_output: Callable[[], None]) -> None:
    """Writes an object per row, keyed by column name; numbers stay numbers, what JSON lacks is text."""
    if result.get_result_kind() is ResultKind.SUCCESS:
        before_output()
        return
    names = result.get_resolved_schema().column_names
    with result.collect() as rows:
        first = True
        for row in rows:
            if first:
                before_output()
                first = False
            output.write(json.dumps(dict(zip(names, map(_plain, row), strict=True)), ensure_ascii=False, allow_nan=False) + "\n")
    before_output()


def _plain(value: Any) -> Any:
    """Returns a value that JSON can hold: dates, times and decimals as text, bytes in hexadecimal."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "as_dict"):
        return {key: _plain(item) for key, item in value.as_dict().items()}
    return str(value)
