"""How large one value may be that a function makes of small ones: REPEAT, LPAD, PRINTF and their like would fill any memory."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE

__all__ = ["LONG_TEXT", "check_made_values", "check_value_size", "in_blocks"]

LONG_TEXT = 1 << 20
"""Characters of a long text that are worked on at once."""


def check_value_size(function: str, size: int) -> None:
    """Refuses a value that is too large, before it is made.

    Raises:
        TableRuntimeException: it would have more than ``MAX_VALUE_SIZE`` characters.
    """
    if size > MAX_VALUE_SIZE:
        raise TableRuntimeException(f"{function} would make a value of {size:,} characters, but a value may have {MAX_VALUE_SIZE:,}.")


def check_made_values(function: str, values: pa.Array) -> None:
    """Refuses values of which one is too large.

    Raises:
        TableRuntimeException: it has more than ``MAX_VALUE_SIZE`` bytes.
    """
    if values.nbytes <= MAX_VALUE_SIZE or pa.types.is_primitive(values.type):
        return
    size = max(values.slice(row, 1).nbytes for row in range(len(values)))
    if size > MAX_VALUE_SIZE:
        raise TableRuntimeException(f"{function} made a value of {size:,} bytes, but a value may have {MAX_VALUE_SIZE:,}.")


def in_blocks(function: str, text: str, change: Callable[[str], str]) -> str:
    """Returns ``change(text)``, which looks at one character after the other: a long text block by block, and not beyond the limit of a value."""
    if len(text) <= LONG_TEXT:
        return change(text)
    parts: list[str] = []
    size = 0
    for start in range(0, len(text), LONG_TEXT):
        parts.append(change(text[start : start + LONG_TEXT]))
        size += len(parts[-1])
        check_value_size(function, size)
    return "".join(parts)
