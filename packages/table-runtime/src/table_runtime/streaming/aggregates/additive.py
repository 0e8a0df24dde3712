"""Functions whose state is sums and counts: COUNT, SUM, AVG. A retraction is subtracted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Self

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.streaming.aggregates.mergeable import MergeableState, Unions
from table_runtime.streaming.aggregates.not_finite import NotFinite, kinds
from table_runtime.streaming.aggregates.running import running_totals
from table_runtime.streaming.aggregates.value_counts import ValueCounts, signs_of_values
from table_runtime.streaming.changes.segments import Integers, Segments
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import slot_rows

_Values = np.ndarray[Any, Any]


class AdditiveState(MergeableState):
    """The total and the count of values of each column that the accumulator reduces."""

    keeps = "totals and counts"
    adds_retractions = True

    def __init__(self, accumulator: Accumulator, argument_types: Sequence[pa.DataType]) -> None:
        self._accumulator = accumulator
        self._empty = [pa.array([], type_) for type_ in argument_types]
        self._columns = [_Total(reduction) for reduction in accumulator.reductions(self._empty, 0)]

    @override
    def reserve(self, size: int) -> None:
        for column in self._columns:
            column.reserve(size)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([array for column in self._columns for array in column.snapshot(slots)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        at = slots[content.column(0).to_numpy()]
        arrays = iter(content.columns[1:])
        for column in self._columns:
            column.restore(at, list(islice(arrays, column.width)))

    @override
    def current(self, slots: Slots) -> pa.Array:
        return self._results([column.current(slots) for column in self._columns])

    @override
    def advance(self, args: Sequence[pa.Array], signs: Integers, segments: Segments) -> pa.Array:
        reductions = self._accumulator.reductions(args, segments.rows)
        return self._results([column.advance(r, signs, segments) for column, r in zip(self._columns, reductions, strict=True)])

    @override
    def insert(self, args: Sequence[pa.Array], slots: Slots, signs: Integers | None = None) -> None:
        reductions = self._accumulator.reductions(args, len(slots))
        for column, reduction in zip(self._columns, reductions, strict=True):
            column.insert(reduction, slots, signs)

    @override
    def clear(self, slots: Slots) -> None:
        for column in self._columns:
            column.clear(slots)

    @override
    def merge(self, other: Self, slots: Slots, into: Slots) -> None:
        for column, added in zip(self._columns, other._columns, strict=True):
            column.merge(added, slots, into)

    @override
    def unite(self, other: Self, unions: Unions) -> bool:
        if not all(column.can_unite for column in other._columns):
            return False
        for column, added in zip(self._columns, other._columns, strict=True):
            column.unite(added, unions)
        return True

    def _results(self, reduced: list[pa.Array]) -> pa.Array:
        def finish(start: int, end: int) -> pa.Array:
            return self._accumulator.finish(self._accumulator.state([column.slice(start, end - start) for column in reduced], self._empty))

        return self.finished(finish, len(reduced[0]))


class _Total:
    """The running total of one reduced column."""

    def __init__(self, reduction: Reduction) -> None:
        self._function = reduction.function
        self._type = reduction.column.type if reduction.column is not None else None
        self._is_float = self._type is not None and pa.types.is_floating(self._type)
        self._is_decimal = self._type is not None and pa.types.is_decimal(self._type)
        dtype = object if self._is_decimal else np.float64 if self._is_float else np.int64
        self.totals: _Values = np.zeros(1024, dtype if self._function == "sum" else np.int64)
        self._counts = ValueCounts()
        self._not_finite: NotFinite | None = None  # once there was such a value

    @property
    def width(self) -> int:
        """The number of columns in a snapshot."""
        return 5 if self._is_float else 2

    def reserve(self, size: int) -> None:
        self.totals = grown(self.totals, size)
        self._counts.reserve(size)
        if self._not_finite is not None:
            self._not_finite.counts = grown(self._not_finite.counts, size)

    def current(self, slots: Slots) -> pa.Array:
        if self._function != "sum":
            return pa.array(self._counts.counts[slots])
        totals = self.totals[slots]
        if self._not_finite is not None:
            totals = self._not_finite.totals(totals, self._not_finite.counts[:, slots])
        return self.as_arrow(totals, self._counts.counts[slots])

    def advance(self, reduction: Reduction, signs: Integers, segments: Segments) -> pa.Array:
        column = reduction.column
        is_counted = signs_of_values(column, signs)
        counts = self._counts.advance(is_counted, segments)
        if self._function != "sum":
            return pa.array(counts)
        assert column is not None
        values = self._numbers(column)
        if not self._is_float:
            return self.as_arrow(self._advance(self.totals, values * is_counted, segments), counts)
        is_finite = np.isfinite(values)
        if self._not_finite is None and not is_finite.all():
            self._not_finite = NotFinite(len(self.totals))
        if self._not_finite is None:
            return self.as_arrow(self._advance(self.totals, values * is_counted, segments), counts)
        each = [
            self._advance(state, kind * is_counted, segments) for state, kind in zip(self._not_finite.counts, kinds(values), strict=True)
        ]
        totals = self._advance(self.totals, np.where(is_finite, values, 0) * is_counted, segments)
        return self.as_arrow(self._not_finite.totals(totals, np.stack(each)), counts)

    def insert(self, reduction: Reduction, slots: Slots, signs: Integers | None) -> None:
        """Adds values, in their order and with their signs, to the totals of their slots."""
        column = reduction.column
        self._counts.insert(column, slots, signs)
        if self._function != "sum":
            return
        assert column is not None
        values = self._numbers(column)
        if self._is_float and not (is_finite := np.isfinite(values)).all():
            self._not_finite = self._not_finite or NotFinite(len(self.totals))
            for counts, kind in zip(self._not_finite.counts, kinds(values), strict=True):
                np.add.at(counts, slots, kind.astype(np.int64) if signs is None else kind * signs)
            values = np.where(is_finite, values, 0)
        if signs is not None:
            values = values * signs
        np.add.at(self.totals, slots, values.astype(self.totals.dtype, copy=False))

    def clear(self, slots: Slots) -> None:
        """Makes the totals of some slots 0."""
        self.totals[slots] = 0
        self._counts.counts[slots] = 0
        if self._not_finite is not None:
            self._not_finite.counts[:, slots] = 0

    def merge(self, other: _Total, slots: Slots, into: Slots) -> None:
        """Adds the totals of some slots of another column to those of the slots ``into``."""
        self._counts.merge(other._counts, slots, into)
        if self._function != "sum":
            return
        np.add.at(self.totals, into, other.totals[slots])
        if other._not_finite is not None:
            self._not_finite = self._not_finite or NotFinite(len(self.totals))
            for counts, added in zip(self._not_finite.counts, other._not_finite.counts, strict=True):
                np.add.at(counts, into, added[slots])

    @property
    def can_unite(self) -> bool:
        """Whether ``unite`` can add these totals."""
        return self._not_finite is None and not self._is_decimal

    def unite(self, other: _Total, unions: Unions) -> None:
        """Adds the totals of slots of another column to those of their unions."""
        unions.add(unions.values(other._counts.counts), self._counts.counts)
        if self._function == "sum":
            unions.add(unions.values(other.totals), self.totals)

    def snapshot(self, slots: Slots) -> list[pa.Array]:
        """Returns the totals and counts of some slots; decimal totals are written as text, because they have any number of digits."""
        totals = self.totals[slots]
        columns = [
            pa.array([str(total) for total in totals], pa.string()) if self._is_decimal else pa.array(totals),
            pa.array(self._counts.counts[slots]),
        ]
        if self._is_float:
            columns += map(pa.array, np.zeros((3, len(slots)), np.int64) if self._not_finite is None else self._not_finite.counts[:, slots])
        return columns

    def restore(self, slots: Slots, columns: Sequence[pa.Array]) -> None:
        """Sets the totals and counts of some slots."""
        totals, counts, *not_finite = columns
        self.totals[slots] = [int(total) for total in totals.to_pylist()] if self._is_decimal else totals.to_numpy()
        self._counts.counts[slots] = counts.to_numpy()
        numbers = np.array([column.to_numpy() for column in not_finite])
        if numbers.any():
            self._not_finite = self._not_finite or NotFinite(len(self.totals))
            self._not_finite.counts[:, slots] = numbers

    def _advance(self, state: _Values, values: _Values, segments: Segments) -> _Values:
        initial = np.where(segments.is_fresh, 0, state[segments.slots])
        totals = running_totals(values.astype(state.dtype, copy=False), initial.astype(state.dtype, copy=False), segments)
        state[segments.last_slots] = totals[segments.last_rows]
        return totals

    def _numbers(self, column: pa.Array) -> _Values:
        if self._is_decimal:
            return _unscaled(column)
        filled = pc.fill_null(column, False if pa.types.is_boolean(column.type) else 0) if column.null_count else column
        return np.asarray(filled.to_numpy(zero_copy_only=False))

    def as_arrow(self, totals: _Values, counts: Integers) -> pa.Array:
        """Returns totals as Arrow's aggregates do: sums over no values are NULL."""
        if self._is_decimal:
            assert self._type is not None
            widest = pa.decimal128(38, self._type.scale) if self._type.bit_width <= 128 else pa.decimal256(76, self._type.scale)
            return _scaled(totals, counts == 0, widest)
        is_null = counts == 0
        return pa.array(totals, mask=is_null if is_null.any() else None)


def _unscaled(column: pa.Array) -> _Values:
    """Returns decimals as Python integers without their scale; 0 for NULL."""
    words = column.type.bit_width // 64
    filled = pc.fill_null(column, 0) if column.null_count else column
    data = np.frombuffer(filled.buffers()[1], np.int64).reshape(-1, words)[filled.offset : filled.offset + len(filled)]
    result = data[:, words - 1].astype(object)
    for word in range(words - 2, -1, -1):
        result = (result << 64) + data[:, word].view(np.uint64).astype(object)
    return np.asarray(result, dtype=object)


def _scaled(totals: _Values, is_null: np.ndarray[Any, np.dtype[np.bool_]], type_: pa.DataType) -> pa.Array:
    size = type_.bit_width // 8
    data = b"".join(int(total).to_bytes(size, "little", signed=True) for total in totals)
    values = pa.Array.from_buffers(type_, len(totals), [None, pa.py_buffer(data)])
    return pc.if_else(pa.array(is_null), pa.scalar(None, type_), values)
