"""The size limit of a single value: REPEAT, LPAD, PRINTF and similar functions could exhaust memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE

LONG_TEXT = 1 << 20
"""Characters of a long text that are processed at once."""


_limit: ContextVar[int] = ContextVar("max_value_size", default=MAX_VALUE_SIZE)


def max_value_size() -> int:
    """Returns the maximum size of a value here: ``MAX_VALUE_SIZE``, or less within ``limited_values``."""
    return min(_limit.get(), MAX_VALUE_SIZE)


@contextmanager
def limited_values(size: int) -> Iterator[None]:
    """Within this context of the current thread, values may have at most ``size`` characters or bytes."""
    token = _limit.set(size)
    try:
        yield
    finally:
        _limit.reset(token)


def check_value_size(function: str, size: int) -> None:
    """Rejects a value that would be too large, before it is computed.

    Raises:
        TableRuntimeException: the value would have more than ``MAX_VALUE_SIZE`` characters.
    """
    if size > (most := max_value_size()):
        raise TableRuntimeException(f"{function} would create a value of {size:,} characters, but a value may have {most:,}.")


def check_made_values(function: str, values: pa.Array) -> None:
    """Rejects values if one of them is too large.

    Raises:
        TableRuntimeException: a value has more than ``MAX_VALUE_SIZE`` bytes.
    """
    most = max_value_size()
    if values.nbytes <= most or pa.types.is_primitive(values.type):
        return
    size = max(_size(value) for value in (values.slice(row, 1) for row in range(len(values))))
    if size > most:
        raise TableRuntimeException(f"{function} would create a value of {size:,} bytes, but a value may have {most:,}.")


def _size(value: pa.Array) -> int:
    """Returns the bytes of the one value of an array; those of a text without what Arrow stores beside it."""
    type_ = value.type
    if pa.types.is_string(type_) or pa.types.is_binary(type_) or pa.types.is_large_string(type_) or pa.types.is_large_binary(type_):
        return value[0].as_buffer().size if value[0].is_valid else 0
    size: int = value.nbytes
    return size


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
