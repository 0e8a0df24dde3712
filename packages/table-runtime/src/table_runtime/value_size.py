"""The size limit of a single value: REPEAT, LPAD, PRINTF and similar functions could exhaust memory."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE

__all__ = ["LONG_TEXT", "check_made_values", "check_value_size", "in_blocks"]

LONG_TEXT = 1 << 20
"""Characters of a long text that are processed at once."""


def check_value_size(function: str, size: int) -> None:
    """Rejects a value that would be too large, before it is computed.

    Raises:
        TableRuntimeException: the value would have more than ``MAX_VALUE_SIZE`` characters.
    """
    if size > MAX_VALUE_SIZE:
        raise TableRuntimeException(f"{function} would make a value of {size:,} characters, but a value may have {MAX_VALUE_SIZE:,}.")


def check_made_values(function: str, values: pa.Array) -> None:
    """Rejects values if one of them is too large.

    Raises:
        TableRuntimeException: a value has more than ``MAX_VALUE_SIZE`` bytes.
    """
    if values.nbytes <= MAX_VALUE_SIZE or pa.types.is_primitive(values.type):
        return
    size = max(values.slice(row, 1).nbytes for row in range(len(values)))
    if size > MAX_VALUE_SIZE:
        raise TableRuntimeException(f"{function} made a value of {size:,} bytes, but a value may have {MAX_VALUE_SIZE:,}.")


def in_blocks(function: str, text: str, change: Callable[[str], str]) -> str:
    """Returns ``change(text)`` for a per-character ``change``; long texts are processed in blocks, up to the size limit of a value."""
    if len(text) <= LONG_TEXT:
        return change(text)
    parts: list[str] = []
    size = 0
    for start in range(0, len(text), LONG_TEXT):
        parts.append(change(text[start : start + LONG_TEXT]))
        size += len(parts[-1])
        check_value_size(function, size)
    return "".join(parts)
