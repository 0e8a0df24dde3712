"""Rows of a build side by key and a range: candidates of ``a.k = b.k AND b.t BETWEEN a.t AND a.t + …`` by binary search instead of all pairs of a key.

Each row is one number, its key's number followed by its value's place among all values, and the numbers are sorted. A probe row finds the first
and the last number of its candidates. The candidates include all matches; the join's condition decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableError
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import concat_arrays
from table_runtime.columns.sorted_search import search_sorted

LARGEST = 2**62
FAR_APART = 1 << 18
"""Numbers of an index that are too many for the caches of a processor."""
FEWEST_ROWS_PER_KEY = 8
"""With fewer rows per key, all pairs of a key cost less than the searches."""


@dataclass(frozen=True)
class RangeBound:
    """A comparison of an expression over the right side with one over the left side, by their positions in ``RangeBounds``."""

    is_lower: bool
    """Whether the right side is greater than (or equal to) the left one."""
    includes_equal: bool


@dataclass(frozen=True, eq=False)
class RangeBounds:
    """Comparisons in the condition of a join. The functions compute one column per bound, of integers or of the same type of date or time."""

    bounds: tuple[RangeBound, ...]
    left: Callable[[pa.RecordBatch], Sequence[pa.Array]]
    right: Callable[[pa.RecordBatch], Sequence[pa.Array]]


def is_ranged(type_: pa.DataType) -> bool:
    """Returns whether values of the type can bound a range: signed integers, dates, times and timestamps."""
    return bool(pa.types.is_signed_integer(type_) or pa.types.is_date(type_) or pa.types.is_time(type_) or pa.types.is_timestamp(type_))


class RangeIndex:
    """Index of the rows whose numbers of keys are ``groups``; ``columns`` has their value of each bound."""

    def __init__(self, bounds: RangeBounds, groups: pa.Array, columns: Sequence[pa.Array]) -> None:
        numbers = [_numbers(column) for column in columns]
        known = pc.and_(pc.is_valid(groups), pc.is_valid(numbers[0]))
        rows = pc.cast(pc.indices_nonzero(known), pa.int64())
        self._bounds = bounds
        values, groups = pc.take(numbers[0], rows), pc.take(groups, rows)
        # A column at a constant distance of the first one is the same column with another bound.
        distances = [_distance(numbers[0], other) for other in numbers]
        self._lower = _first(bounds, distances, is_lower=True)
        self._upper = _first(bounds, distances, is_lower=False)
        self._places = _Places(values, (pc.max(groups).as_py() or 0) + 1)
        keys = self._key(groups, self._places.of(values, after=False))
        order = pc.sort_indices(keys)
        self._keys, self._rows = pc.take(keys, order), pc.take(rows, order)

    @classmethod
    def of_batches(cls, bounds: RangeBounds, groups: pa.Array, columns: Sequence[Sequence[pa.Array]]) -> Self | None:
        """Returns the index over the columns of each batch; None if the values cannot be compared."""
        try:
            return cls(
                bounds, groups, [concat_arrays([_numbers(batch[i]) for batch in columns], pa.int64()) for i in range(len(bounds.bounds))]
            )
        except pa.ArrowInvalid:  # distances beyond 64 bits
            return None

    def matches(self, groups: pa.Array, batch: pa.RecordBatch) -> RangeMatches | None:
        """Returns the candidates of each row of a batch; None if a bound fails for one of the rows, which may have no partner at all."""
        try:
            columns = [_numbers(column) for column in self._bounds.left(batch)]
            first, last = (self._sought(bound, groups, columns) for bound in (self._lower, self._upper))
        except (TableError, pa.ArrowInvalid):
            return None
        starts, ends = self._found(first, last)
        counts = pc.fill_null(pc.max_element_wise(pc.subtract(ends, starts), pa.scalar(0, pa.int64()), skip_nulls=False), 0)
        return RangeMatches(self._rows, pc.fill_null(starts, 0), counts)

    def _sought(self, bound: tuple[int, int, bool] | bool, groups: pa.Array, columns: Sequence[pa.Array]) -> pa.Array:
        """Returns for each row the number before which its candidates begin or end."""
        if isinstance(bound, tuple):
            position, distance, after = bound
            places = self._places.of(pc.subtract_checked(columns[position], pa.scalar(distance, pa.int64())), after=after)
        else:
            places = pa.scalar(0 if bound else self._places.count, pa.int64())
        return self._key(groups, places)

    def _found(self, first: pa.Array, last: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Returns where the numbers are among the sorted ones of the index."""
        if len(self._keys) < FAR_APART:
            return self._search(first), self._search(last)
        # In their order, which is nearly that of both, the searches find in the cache what those before them have read.
        order = pc.cast(pc.sort_indices(first), pa.int64())
        places = pc.inverse_permutation(order)
        starts, ends = (pc.take(self._search(pc.take(sought, order)), places) for sought in (first, last))
        return starts, ends

    def _search(self, sought: pa.Array) -> pa.Array:
        return search_sorted(self._keys, sought)

    def _key(self, groups: pa.Array, places: pa.Array | pa.Scalar) -> pa.Array:
        return pc.add(pc.multiply(groups, pa.scalar(self._places.count + 1, pa.int64())), places)


@dataclass(frozen=True, eq=False)
class RangeMatches:
    """The candidates of probe rows: ``counts`` of the sorted ``rows`` from ``starts`` on."""

    rows: pa.Array
    starts: pa.Array
    counts: pa.Array

    def slice(self, start: int, length: int) -> RangeMatches:
        """Returns the candidates of some of the probe rows."""
        return RangeMatches(self.rows, self.starts.slice(start, length), self.counts.slice(start, length))

    def pair_ends(self) -> pa.Array:
        """Returns for each probe row the cumulative number of pairs, the row included."""
        return pc.cumulative_sum(self.counts)

    def pairs(self) -> tuple[pa.Array, pa.Array]:
        """Returns (probe position, row) of all candidate pairs, by probe position."""
        ends = self.pair_ends()
        total = ends[-1].as_py() if len(ends) else 0
        numbers = pa.arange(0, total) if total else pa.array([], pa.int64())
        lists = pa.LargeListArray.from_arrays(pa.concat_arrays([pa.array([0], pa.int64()), ends]), numbers)
        probes = pc.cast(pc.list_parent_indices(lists), pa.int64())
        shift = pc.take(pc.add(pc.subtract(self.starts, ends), self.counts), probes)
        return probes, pc.take(self.rows, pc.add(numbers, shift))

    def first_rows(self) -> pa.Array:
        """Returns the candidates of the first probe row."""
        return self.rows.slice(self.starts[0].as_py(), self.counts[0].as_py())


class _Places:
    """The place of a value among all values: its distance from the least one, or its rank if the values are too far apart."""

    def __init__(self, values: pa.Array, keys: int) -> None:
        ends = pc.min_max(values).as_py()
        least, greatest = ends["min"] or 0, ends["max"] or 0
        self._distinct: pa.Array | None = None
        self._least, self.count = least, greatest - least + 1
        """The number of places; a bound may be after the last one."""
        if (self.count + 1) * keys >= LARGEST or max(abs(least), abs(greatest)) >= LARGEST:
            self._distinct = pc.unique(pc.take(values, pc.sort_indices(values)))
            self.count = len(self._distinct)

    def of(self, values: pa.Array, *, after: bool) -> pa.Array:
        """Returns the place of each value, or of the next greater one; with ``after`` the place of the next greater one in any case."""
        if self._distinct is not None:
            return search_sorted(self._distinct, values, "right" if after else "left")
        within = _between(values, self._least - 1, self._least + self.count)
        return _between(pc.subtract(within, pa.scalar(self._least - (1 if after else 0), pa.int64())), 0, self.count)


def _between(values: pa.Array, least: int, greatest: int) -> pa.Array:
    below = pc.min_element_wise(values, pa.scalar(greatest, pa.int64()), skip_nulls=False)
    return pc.max_element_wise(below, pa.scalar(least, pa.int64()), skip_nulls=False)


def _numbers(column: pa.Array) -> pa.Array:
    """Returns the values as int64, in the same order."""
    small = pa.types.is_date32(column.type) or pa.types.is_time32(column.type)
    return pc.cast(pc.cast(column, pa.int32()) if small else column, pa.int64())


def _distance(column: pa.Array, other: pa.Array) -> int | None:
    """Returns the number by which all values of ``other`` are greater; None if there is none, or if only one of them is NULL."""
    if column is other:
        return 0
    if not pc.is_valid(column).equals(pc.is_valid(other)):
        return None
    ends = pc.min_max(pc.subtract_checked(other, column)).as_py()
    return (ends["min"] or 0) if ends["min"] == ends["max"] else None


def _first(bounds: RangeBounds, distances: Sequence[int | None], *, is_lower: bool) -> tuple[int, int, bool] | bool:
    """Returns the position of a usable bound, its distance, and whether the range begins, or ends, after equal values; without one ``is_lower``."""
    for position, (bound, distance) in enumerate(zip(bounds.bounds, distances, strict=True)):
        if bound.is_lower is is_lower and distance is not None:
            return position, distance, bound.includes_equal is not is_lower
    return is_lower
