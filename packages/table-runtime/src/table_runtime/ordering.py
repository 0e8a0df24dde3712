"""Orders rows by several keys as SQL says: NULLs where asked for, NaN above every number, text by code point, equal rows as they came."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["SortKey", "sort_indices"]


class SortKey(NamedTuple):
    """A column by position and how it is ordered."""

    column: int
    ascending: bool = True
    nulls_first: bool = True


def sort_indices(columns: Sequence[Any], keys: Sequence[SortKey]) -> pa.Array:
    """Returns the positions of the rows in order; ``columns`` are arrays or chunked arrays of equal length."""
    rows = len(columns[0])
    sort_columns: list[Any] = []
    sort_keys: list[tuple[str, str, str]] = []
    for key in keys:
        for column, ascending in _parts(columns[key.column], key):
            name = f"c{len(sort_columns)}"
            sort_columns.append(column)
            sort_keys.append((name, "ascending" if ascending else "descending", "at_start" if key.nulls_first else "at_end"))
    if not sort_columns:
        return pa.arange(0, rows) if rows else pa.array([], type=pa.int64())
    return pc.sort_indices(pa.Table.from_arrays(sort_columns, names=[name for name, _, _ in sort_keys]), sort_keys=sort_keys)


def _parts(column: Any, key: SortKey) -> list[tuple[Any, bool]]:
    """Returns the columns, with their directions, whose order by Arrow's rules is the order of this key."""
    type_ = column.type
    if pa.types.is_null(type_):
        return []
    if pa.types.is_nested(type_):
        return [(_ranks(column), key.ascending)]
    if pa.types.is_floating(type_):
        nans = pc.is_nan(column)
        if pc.any(nans).as_py():
            # Arrow puts NaN beside NULL: a flag before the numbers puts it above them.
            return [(pc.cast(nans, pa.int8()), key.ascending), (pc.if_else(nans, pa.scalar(0.0, type_), column), key.ascending)]
    return [(column, key.ascending)]


def _ranks(column: Any) -> pa.Array:
    """Returns numbers that are ordered like nested values: part by part, NULL lowest."""
    values = column.to_pylist()
    order = sorted(
        (index for index, value in enumerate(values) if value is not None), key=cmp_to_key(lambda a, b: _compare(values[a], values[b]))
    )
    ranks: list[int | None] = [None] * len(values)
    rank = 0
    for position, index in enumerate(order):
        if position and _compare(values[order[position - 1]], values[index]):
            rank += 1
        ranks[index] = rank
    return pa.array(ranks, type=pa.int64())


def _compare(left: Any, right: Any) -> int:
    if left is None or right is None:
        return (left is not None) - (right is not None)
    if isinstance(left, dict):
        left, right = list(left.values()), list(right.values())
    if isinstance(left, list | tuple):
        for one, other in zip(left, right, strict=False):
            result = _compare(one, other)
            if result:
                return result
        return (len(left) > len(right)) - (len(left) < len(right))
    return int(left > right) - int(left < right)
