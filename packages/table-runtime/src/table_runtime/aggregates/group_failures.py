"""Errors of aggregates name the call, and the key of the group."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.aggregates.accumulator import Accumulator
from table_runtime.columns.plain_types import to_plain

_LONGEST = 80


def first_failing(compute: Callable[[int, int], object], rows: int) -> int:
    """Returns the first row for which ``compute`` fails, by halving; ``compute`` takes the bounds of a range of rows, and fails for all of them."""
    start, end = 0, rows
    while end - start > 1:
        middle = (start + end) // 2
        try:
            compute(start, middle)
        except TableRuntimeException:
            end = middle
        else:
            start = middle
    return start


def failure_in_group(
    error: TableRuntimeException,
    accumulator: Accumulator,
    arguments: str,
    names: Sequence[str],
    keys: Sequence[pa.Array],
    kind: str = "group",
) -> TableRuntimeException:
    """Returns the error with the call and its group.

    Args:
        error: what the call raised.
        accumulator: that of the call.
        arguments: the text of its arguments.
        names: the columns of the key.
        keys: their values, one row.
        kind: what the rows with this key are called: group, partition.
    """
    name = accumulator.spec.name
    if name == "SINGLE_VALUE" or "\n" in error.message:  # scalar subqueries, and failures of user code
        return error
    name = name.removesuffix("_NULL_ON_NULL").removesuffix("_ABSENT_ON_NULL")
    call = f"{name}({arguments})" if not re.search(r"(?<![\w$])\$[a-z]+\d", arguments) else name
    where = ", ".join(f"{key_name} = {_text(key)}" for key_name, key in zip(names, keys, strict=True))
    group = f" of the {kind} {where}" if where else ""
    if not group and call == name:
        return error
    return TableRuntimeException(f"{error.message.removesuffix('.')}: {call}{group}.", position=error.position, hint=error.hint)


def _text(key: pa.Array) -> str:
    value = to_plain(key)[0].as_py() if not pa.types.is_temporal(key.type) else key.cast(pa.string())[0].as_py()
    if value is None:
        return "NULL"
    text = str(value).replace("'", "''")
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    is_number = pa.types.is_integer(key.type) or pa.types.is_floating(key.type) or pa.types.is_decimal(key.type)
    return text if is_number or pa.types.is_boolean(key.type) else f"'{text}'"
