"""Sorted rows of a window, with the bounds of each row's partition and peers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.ordering import SortKey


def positions(rows: int) -> pa.Array:
    """Returns 0, 1, 2, …"""
    return pa.arange(0, rows) if rows else arrow_array([], pa.int64())


def changes(columns: Sequence[pa.Array], rows: int) -> pa.Array:
    """Returns for each row whether it differs from the previous row in any of the columns; NULL equals NULL, NaN equals NaN."""
    if rows == 0:
        return arrow_array([], pa.bool_())
    codec = KeyCodec([column.type for column in columns])
    changed = pa.repeat(arrow_scalar(False), rows - 1)
    for column in map(_bits, codec.encode(columns)):
        previous, current = column.slice(0, rows - 1), column.slice(1)
        different = pc.fill_null(pc.not_equal(previous, current), False)
        if column.null_count:
            different = pc.or_(different, pc.xor(pc.is_null(previous), pc.is_null(current)))
        changed = pc.or_(changed, different)
    return pa.concat_arrays([arrow_array([True]), changed])


def _bits(column: pa.Array) -> pa.Array:
    """Returns the bits of floats as integers, because NaN is not equal to itself."""
    widths = {pa.float64(): pa.int64(), pa.float32(): pa.int32()}
    return column.view(widths[column.type]) if column.type in widths else column


class SortedRows:
    """Rows sorted by partition keys and order keys; positions count from 0 over all partitions, ends are exclusive."""

    def __init__(self, rows: int, partition_by: Sequence[pa.Array], order_by: Sequence[pa.Array], orders: Sequence[SortKey]) -> None:
        self.rows = rows
        self.order_by = tuple(order_by)
        self.orders = tuple(orders)
        self.position = positions(rows)
        self._first_of_partition = changes(partition_by, rows)
        self.partition_start, self.partition_end = self._runs(self._first_of_partition)

    @cached_property
    def partition(self) -> pa.Array:
        """The number of each row's partition, from 0."""
        return pc.subtract(pc.cumulative_sum(pc.cast(self._first_of_partition, pa.int64())), arrow_scalar(1))

    @cached_property
    def is_first_peer(self) -> pa.Array:
        """Whether a row is the first of those with its partition and order keys."""
        return pc.or_(self._first_of_partition, changes(self.order_by, self.rows))

    @cached_property
    def peers(self) -> tuple[pa.Array, pa.Array]:
        """The start and end of the rows with equal order keys; without order keys, of the partition."""
        return self._runs(self.is_first_peer)

    def _runs(self, is_first: pa.Array) -> tuple[pa.Array, pa.Array]:
        starts = pc.array_filter(self.position, is_first)
        ends = pa.concat_arrays([starts.slice(1), arrow_array([self.rows] if len(starts) else [], pa.int64())])
        run = pc.subtract(pc.cumulative_sum(pc.cast(is_first, pa.int64())), arrow_scalar(1))
        return pc.take(starts, run), pc.take(ends, run)
