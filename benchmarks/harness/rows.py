"""Whether two engines gave the same rows: decimals exactly, floating-point numbers but for the order in which they were added."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["first_difference", "fixes_order"]

RELATIVE = 1e-9
"""How far floating-point numbers may be apart."""


def first_difference(ours: pa.Table, theirs: pa.Table, *, ordered: bool) -> str | None:
    """Returns what differs first, None if nothing does; columns go by position, rows too if they are ``ordered``.

    Where one side has DOUBLE and the other DECIMAL, as for averages, the last digit of the decimal may differ.
    """
    if ours.num_columns != theirs.num_columns:
        return f"{ours.num_columns} columns instead of {theirs.num_columns}"
    if ours.num_rows != theirs.num_rows:
        return f"{ours.num_rows} rows instead of {theirs.num_rows}"
    rows = [list(zip(*(column.to_pylist() for column in table.columns), strict=True)) for table in (ours, theirs)]
    if not ordered:
        for one in rows:
            one.sort(key=_sort_key)
    steps = [float(10**-t.scale) if pa.types.is_decimal(t) else 0.0 for t in ours.schema.types]
    for number, (one, other) in enumerate(zip(*rows, strict=True)):
        if not all(map(_same, one, other, steps)):
            return f"row {number} is {one} instead of {other}"
    return None


def fixes_order(query: str) -> bool:
    """Returns whether the outermost query has an ORDER BY."""
    depth = 0
    for token in re.finditer(r"\(|\)|\border\s+by\b", query, re.IGNORECASE):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
        elif depth == 0:
            return True
    return False


def _same(one: Any, other: Any, step: float) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None:
            return False
        margin = RELATIVE * max(abs(float(one)), abs(float(other)))
        if isinstance(one, Decimal):
            margin = max(margin, step)
        return abs(float(one) - float(other)) <= margin
    return bool(one == other)


def _sort_key(row: Sequence[Any]) -> list[tuple[bool, str]]:
    """Texts and the like first: numbers that are nearly equal must not decide."""
    values = sorted(row, key=lambda value: isinstance(value, float | Decimal))
    return [(value is None, f"{value:.5e}" if isinstance(value, float | Decimal) else str(value)) for value in values]
