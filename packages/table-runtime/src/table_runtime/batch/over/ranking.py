"""Ranking functions: ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST and NTILE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.sorted_rows import SortedRows
from table_runtime.batch.over.window_function import Check, WindowFunction

_ONE = arrow_scalar(1, pa.int64())


class Ranking(WindowFunction):
    """A rank that is computed from the bounds of partitions and peers."""

    def __init__(self, place: Callable[[SortedRows], pa.Array]) -> None:
        self._place = place

    @override
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        return self._place(rows)


def row_number(rows: SortedRows) -> pa.Array:
    """1, 2, 3, … in each partition; equal rows in the order of the input."""
    return pc.add(pc.subtract(rows.position, rows.partition_start), _ONE)


def rank(rows: SortedRows) -> pa.Array:
    """The number of rows before the row's peers, plus 1."""
    return pc.add(pc.subtract(rows.peers[0], rows.partition_start), _ONE)


def dense_rank(rows: SortedRows) -> pa.Array:
    """The number of distinct order keys up to the row's."""
    steps = pc.cumulative_sum(pc.cast(rows.is_first_peer, pa.int64()))
    return pc.add(pc.subtract(steps, pc.take(steps, rows.partition_start)), _ONE)


def percent_rank(rows: SortedRows) -> pa.Array:
    """(rank - 1) / (rows - 1); 0 in a partition of one row."""
    other_rows = pc.subtract(pc.subtract(rows.partition_end, rows.partition_start), _ONE)
    before = pc.subtract(rows.peers[0], rows.partition_start)
    return pc.divide(pc.cast(before, pa.float64()), pc.cast(pc.max_element_wise(other_rows, _ONE), pa.float64()))


def cume_dist(rows: SortedRows) -> pa.Array:
    """The fraction of the partition's rows that sort before the row or are its peers."""
    upto = pc.subtract(rows.peers[1], rows.partition_start)
    return pc.divide(pc.cast(upto, pa.float64()), pc.cast(pc.subtract(rows.partition_end, rows.partition_start), pa.float64()))


class NTile(WindowFunction):
    """The number of the row's bucket, from 1. If rows do not divide evenly, the first buckets have one row more."""

    @override
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        buckets = pc.cast(args[0], pa.int64())
        if pc.any(pc.less_equal(buckets, arrow_scalar(0))).as_py() if isinstance(buckets, pa.Array) else buckets.as_py() <= 0:
            raise TableRuntimeException("NTILE takes a number of buckets above 0.")
        total = pc.subtract(rows.partition_end, rows.partition_start)
        index = pc.subtract(rows.position, rows.partition_start)
        size = pc.divide(total, buckets)
        longer = pc.subtract(total, pc.multiply(size, buckets))
        in_longer = pc.multiply(longer, pc.add(size, _ONE))
        first = pc.divide(index, pc.add(size, _ONE))
        # A size of 0 occurs in unused branches only, but must not be divided by.
        rest = pc.add(longer, pc.divide(pc.subtract(index, in_longer), pc.max_element_wise(size, _ONE)))
        return pc.add(pc.if_else(pc.less(index, in_longer), first, rest), _ONE)
