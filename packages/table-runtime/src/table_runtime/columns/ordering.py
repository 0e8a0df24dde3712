"""Stable multi-key sort with SQL semantics: NULLS FIRST or LAST per key, NaN above every number, text by code point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key, partial
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays

ROWS_AT_ONCE = 1 << 18
"""Maximum rows per sort call of Arrow, which cannot be interrupted."""


class SortKey(NamedTuple):
    """A sort key: column position, direction and NULL placement."""

    column: int
    ascending: bool = True
    nulls_first: bool = True


def sort_indices(columns: Sequence[Any], keys: Sequence[SortKey]) -> pa.Array:
    """Returns the row positions in sort order; ``columns`` are arrays or chunked arrays of equal length."""
    pieces = [piece() for piece in sort_pieces(columns, keys)]
    return concat_arrays(pieces, pieces[0].type if pieces else pa.int64())


def sort_pieces(columns: Sequence[Any], keys: Sequence[SortKey]) -> Iterator[Callable[[], pa.Array]]:
    """Yields functions that each sort a piece and return its row positions; pieces are in sort order and independent, so they may run concurrently."""
    rows = len(columns[0])
    parts = [_Part(column, ascending, key.nulls_first) for key in keys for column, ascending in _parts(columns[key.column], key)]
    if not rows:
        return
    if rows <= ROWS_AT_ONCE:
        yield partial(_sorted, parts, None, rows)
    else:
        yield from _pieces(parts, None, rows)


class _Part(NamedTuple):
    """A column whose order by Arrow's rules is the requested order."""

    column: Any
    ascending: bool
    nulls_first: bool


def _sorted(parts: Sequence[_Part], positions: pa.Array | None, rows: int) -> pa.Array:
    if not parts:
        return positions if positions is not None else pa.arange(0, rows)
    columns = [part.column if positions is None else pc.take(part.column, positions) for part in parts]
    names = [f"c{index}" for index in range(len(columns))]
    sort_keys = [
        (name, "ascending" if part.ascending else "descending", "at_start" if part.nulls_first else "at_end")
        for name, part in zip(names, parts, strict=True)
    ]
    order = pc.sort_indices(pa.Table.from_arrays(columns, names=names), sort_keys=sort_keys)
    return order if positions is None else pc.take(positions, order)


def _pieces(parts: Sequence[_Part], positions: pa.Array | None, rows: int) -> Iterator[Callable[[], pa.Array]]:
    """Partitions the rows by ranges of the first key; rows with equal first keys are partitioned by the next key."""
    if rows <= ROWS_AT_ONCE or not parts:
        yield partial(_sorted, parts, positions, rows)
        return
    column, ascending, nulls_first = parts[0]
    from table_runtime.columns.range_partition import RangePartition, flat  # few sorts are that large

    values = column if positions is None else flat(pc.take(column, positions))
    if pa.types.is_boolean(values.type):
        values = pc.cast(values, pa.int8())
    partition = RangePartition(values, rows // (ROWS_AT_ONCE // 2))
    rows_of_range = partition.rows(values)
    del values
    nulls = partition.count - 1
    numbers = list(range(nulls)) if ascending else list(reversed(range(nulls)))
    for number in [nulls, *numbers] if nulls_first else [*numbers, nulls]:
        selected, rows_of_range[number] = rows_of_range[number], None
        if not len(selected):
            continue
        here = selected if positions is None else pc.take(positions, selected)
        if partition.is_value(number) and (number == nulls or not pa.types.is_decimal(column.type)):
            yield from _pieces(parts[1:], here, len(here))
        elif len(here) < rows:
            yield from _pieces(parts, here, len(here))
        else:  # all rows are in one range: the sample did not distinguish them
            yield partial(_sorted, parts, here, rows)


def _parts(column: Any, key: SortKey) -> list[tuple[Any, bool]]:
    """Returns the columns and directions whose order by Arrow's rules equals the order of this key."""
    type_ = column.type
    if pa.types.is_null(type_):
        return []
    if pa.types.is_nested(type_):
        return [(_ranks(column), key.ascending)]
    if pa.types.is_floating(type_):
        nans = pc.is_nan(column)
        if pc.any(nans).as_py():
            # Arrow sorts NaN next to NULL: a leading flag column places NaN above the numbers.
            return [(pc.cast(nans, pa.int8()), key.ascending), (pc.if_else(nans, pa.scalar(0.0, type_), column), key.ascending)]
    return [(column, key.ascending)]


def _ranks(column: Any) -> pa.Array:
    """Returns integers in the order of nested values: element by element, NULL lowest."""
    from table_runtime.columns.plain_types import to_plain  # few keys are compared in Python

    values = to_plain(column).to_pylist()
    order = sorted(
        (index for index, value in enumerate(values) if value is not None),
        key=cmp_to_key(lambda a, b: compare_nested(values[a], values[b])),
    )
    ranks: list[int | None] = [None] * len(values)
    rank = 0
    for position, index in enumerate(order):
        if position and compare_nested(values[order[position - 1]], values[index]):
            rank += 1
        ranks[index] = rank
    return pa.array(ranks, type=pa.int64())


def compare_nested(left: Any, right: Any) -> int:
    """Returns a negative number, 0 or a positive number, as ``left`` stands before, with or after ``right`` in ascending order.

    The values are those of ``to_plain``: rows and arrays compare element by element, NULL is lowest, NaN the greatest number.
    """
    if left is None or right is None:
        return (left is not None) - (right is not None)
    if isinstance(left, dict):
        left, right = list(left.values()), list(right.values())
    if isinstance(left, list | tuple):
        for left_item, right_item in zip(left, right, strict=False):
            result = compare_nested(left_item, right_item)
            if result:
                return result
        return (len(left) > len(right)) - (len(left) < len(right))
    if left != left or right != right:  # NaN
        return int(left != left) - int(right != right)
    return int(left > right) - int(left < right)
