"""Window functions that return values of other rows: LAG, LEAD, FIRST_VALUE and LAST_VALUE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.sorted_rows import SortedRows
from table_runtime.batch.over.window_function import Check, WindowFunction
from table_runtime.columns.batches import cast_array

_NOWHERE = arrow_scalar(None, pa.int64())
_ONE = arrow_scalar(1, pa.int64())


class Neighbor(WindowFunction):
    """LAG or LEAD: the value of the row at a distance, or the default (the third argument, else NULL) if the partition has no such row.

    With ``ignores_nulls``, rows with NULL are not counted. A distance of NULL returns NULL.
    """

    def __init__(self, type_: pa.DataType, *, is_behind: bool, ignores_nulls: bool) -> None:
        self._type = type_
        self._is_behind = is_behind
        self._ignores_nulls = ignores_nulls

    @override
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        values = _column_of(args[0], rows)
        distance = pc.cast(args[1], pa.int64()) if len(args) > 1 else _ONE
        if isinstance(distance, pa.Scalar) and not distance.is_valid:
            return pa.nulls(rows.rows, self._type)
        place = self._place_among_values(rows, values, distance) if self._ignores_nulls else self._place(rows, distance)
        values_there = pa.nulls(rows.rows, self._type) if pa.types.is_null(values.type) else cast_array(pc.take(values, place), self._type)
        if len(args) < 3:
            return values_there
        default = args[2] if isinstance(args[2], pa.Scalar) else cast_array(args[2], self._type)
        outside = pc.and_(pc.is_null(place), pc.is_valid(distance)) if isinstance(distance, pa.Array) else pc.is_null(place)
        return pc.if_else(outside, default, values_there)

    def _place(self, rows: SortedRows, distance: Any) -> pa.Array:
        """Returns the position of the target row, NULL if it is outside of the partition."""
        place = pc.add(rows.position, distance) if self._is_behind else pc.subtract(rows.position, distance)
        return _inside(place, rows.partition_start, rows.partition_end)

    def _place_among_values(self, rows: SortedRows, values: pa.Array, distance: Any) -> pa.Array:
        valid = pc.is_valid(values)
        before = pa.concat_arrays([arrow_array([0], pa.int64()), pc.cumulative_sum(pc.cast(valid, pa.int64()))])
        if self._is_behind:
            number = pc.subtract(pc.add(pc.take(before, pc.add(rows.position, _ONE)), distance), _ONE)
        else:
            number = pc.subtract(pc.take(before, rows.position), distance)
        number = _inside(number, pc.take(before, rows.partition_start), pc.take(before, rows.partition_end))
        place = pc.take(pc.cast(pc.indices_nonzero(valid), pa.int64()), number)
        return pc.if_else(pc.equal(distance, arrow_scalar(0, pa.int64())), rows.position, place)


def _column_of(argument: Any, rows: SortedRows) -> pa.Array:
    """Returns the argument as a column; constants are repeated."""
    return pa.repeat(argument, rows.rows) if isinstance(argument, pa.Scalar) else argument


def _inside(place: pa.Array, start: pa.Array, end: pa.Array) -> pa.Array:
    return pc.if_else(pc.and_(pc.greater_equal(place, start), pc.less(place, end)), place, _NOWHERE)


class EdgeValue(WindowFunction):
    """FIRST_VALUE or LAST_VALUE: the first or last value of the frame, NULL if there is none. ``ignores_nulls``: NULLs are left out."""

    def __init__(self, type_: pa.DataType, *, is_last: bool, ignores_nulls: bool) -> None:
        self._type = type_
        self._is_last = is_last
        self._ignores_nulls = ignores_nulls

    @override
    def compute(self, rows: SortedRows, frames: Frames | None, args: Sequence[Any], check: Check) -> pa.Array:
        assert frames is not None
        values = _column_of(args[0], rows)
        if pa.types.is_null(values.type):
            return pa.nulls(rows.rows, self._type)
        if self._ignores_nulls and values.null_count:
            frames, (values,) = frames.restricted(pc.is_valid(values), [values])
        place = pc.subtract(frames.upper, _ONE) if self._is_last else frames.lower
        return frames.spread(cast_array(pc.take(values, pc.if_else(frames.is_empty, _NOWHERE, place)), self._type))
