"""Converts the result of one table function call to a list of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from table_common.types import ArrayType, LogicalType, RowType, StructuredType


def rows_of_result(function: Any, result: Any, type_: LogicalType) -> list[Any]:
    """Returns the rows of a call: first the collected rows, then the yielded or returned ones.

    A returned tuple or ``Row`` is one row, other iterables are several rows, and any other value is one row with one column.
    """
    rows: list[Any] = []
    if isinstance(result, (list, range)) or hasattr(result, "__next__"):
        rows = list(result)
    elif result is not None:
        is_many = isinstance(result, Iterable) and not isinstance(result, (str, bytes, bytearray, tuple, dict)) and not _is_row(result)
        rows = list(result) if is_many else [result]
    take = getattr(function, "take_collected", None)
    collected = take() if take is not None else []
    if collected:
        rows = [*collected, *rows]
    assert isinstance(type_, ArrayType)
    element = type_.element_type
    if isinstance(element, (RowType, StructuredType)):
        if len(element.fields) == 1:
            rows = [
                row if row is None or isinstance(row, (tuple, list, dict)) or _is_row(row) or hasattr(row, "__dict__") else (row,)
                for row in rows
            ]
        return rows
    # A single column may be returned as a row of one value.
    return [row[0] if (isinstance(row, tuple) or _is_row(row)) and len(row) == 1 else row for row in rows]


def _is_row(value: Any) -> bool:
    return type(value).__name__ == "Row"
