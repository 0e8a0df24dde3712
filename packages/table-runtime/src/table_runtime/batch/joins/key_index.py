"""Index of a table's rows by key: the build side of a hash join.

Arrow can look values up in a set but has no hash table that is built once. So the distinct values of each key column are numbered (codes),
the codes of several columns are combined into one number, and an array leads from the distinct numbers to the rows. Integers in a narrow
range, as combined codes and surrogate keys mostly are, are used as array positions instead of being hashed. Many other values are first
partitioned into ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.aggregates import Reduction
from table_runtime.batch.aggregation.grouping import reduce_groups
from table_runtime.columns.batches import concat_arrays
from table_runtime.columns.direct_index import direct_positions, look_up

if TYPE_CHECKING:
    from table_runtime.columns.range_partition import RangePartition

LARGEST_CODE = 2**62
DENSE_FACTOR = 4
"""Integers are used as array positions if their range is at most this many times their count."""
DENSE_MINIMUM = 1 << 16
ROWS_AT_ONCE = 1 << 19
"""Maximum values per hash table of Arrow: building one cannot be interrupted, and small tables stay in the processor's cache."""


def are_positions(batches: Sequence[Sequence[pa.Array]]) -> bool:
    """Returns whether the keys of some batches are one column of integers in a narrow range, which no index has to hash."""
    columns = [columns[0] for columns in batches if len(columns) == 1 and pa.types.is_integer(columns[0].type)]
    if len(columns) < len(batches):
        return False
    bounds = [bound for column in columns if (bound := pc.min_max(column).as_py())["min"] is not None]
    if not bounds:
        return True
    width = max(bound["max"] for bound in bounds) - min(bound["min"] for bound in bounds) + 1
    return _is_narrow(width, sum(len(column) - column.null_count for column in columns))


def _is_narrow(width: int, count: int) -> bool:
    return width <= max(DENSE_MINIMUM, DENSE_FACTOR * count)


class KeyIndex:
    """Index of rows by key; the key columns are encoded by a ``KeyCodec``.

    A NULL in a key column matches NULL if ``null_equal`` is true for the column, otherwise nothing.
    """

    def __init__(self, columns: Sequence[pa.Array], null_equal: Sequence[bool]) -> None:
        self._null_equal = tuple(null_equal)
        self._codes = [_Codes(column) for column in columns]
        self._sizes = [codes.size + 1 for codes in self._codes]
        self._dense: dict[int, _Codes] = {}
        self._build = True
        combined = self._combine(columns)
        self._build = False
        self._keys = _Codes(combined) if len(columns) > 1 or self._null_equal[0] else None
        groups = self._keys.find(combined) if self._keys is not None else combined
        rows = pa.arange(0, len(groups)) if len(groups) else arrow_array([], pa.int64())
        valid = pc.is_valid(groups)
        rows, groups = pc.filter(rows, valid), pc.filter(groups, valid)
        count = self._keys.size if self._keys is not None else self._codes[0].size
        self.is_unique = count == len(rows)
        """Whether all keys are unique."""
        self.rows_per_key = len(rows) / count if count else 0.0
        self._row_of = _scattered(rows, groups, count) if self.is_unique else None
        # The number of a unique key is its row: one lookup less for each probe row.
        self._is_by_row = self._row_of is not None and self._keys is None and self._codes[0].renumber(self._row_of)
        self._rows_of = None if self.is_unique else _rows_by_code(groups, rows)
        self._row_counts = None if self._rows_of is None else pc.cast(pc.list_value_length(self._rows_of), pa.int64())

    @property
    def is_hashed(self) -> bool:
        """Whether a lookup builds hash tables of keys, each time."""
        every = [*self._codes, *self._dense.values(), *([] if self._keys is None else [self._keys])]
        return any(codes.is_hashed for codes in every)

    def groups(self, columns: Sequence[pa.Array]) -> pa.Array:
        """Returns for each probe row the number of its key, NULL if no indexed row has the key."""
        combined = self._combine(columns)
        return self._keys.find(combined) if self._keys is not None else combined

    def pairs(self, groups: pa.Array) -> tuple[pa.Array | None, pa.Array]:
        """Returns (probe position, row) of all pairs with equal keys, by probe position; None for positions 0, 1, 2, …"""
        if self._row_of is not None:
            rows = groups if self._is_by_row else pc.take(self._row_of, groups)
            if rows.null_count == 0:
                return None, rows
            valid = pc.is_valid(rows)
            return pc.filter(pa.arange(0, len(rows)), valid), pc.drop_null(rows)
        lists = pc.take(self._rows_of, groups)
        return pc.cast(pc.list_parent_indices(lists), pa.int64()), pc.list_flatten(lists)

    def rows_of(self, group: int) -> pa.Array:
        """Returns the rows of one key."""
        if self._row_of is not None:
            return arrow_array([group], pa.int64()) if self._is_by_row else self._row_of.slice(group, 1)
        assert self._rows_of is not None
        return self._rows_of[group].values

    def spans(self, groups: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array] | None:
        """Returns all rows by key, and for each probe row where those of its key start and how many they are; None if keys are unique."""
        if self._rows_of is None:
            return None
        starts = pc.take(pc.cast(self._rows_of.offsets.slice(0, len(self._rows_of)), pa.int64()), groups)
        return self._rows_of.values, pc.fill_null(starts, 0), pc.fill_null(pc.take(self._row_counts, groups), 0)

    def pair_ends(self, groups: pa.Array) -> pa.Array:
        """Returns for each probe row the cumulative number of pairs, the row included."""
        if self._row_of is not None:
            counts = pc.cast(pc.is_valid(groups), pa.int64())
        else:
            counts = pc.fill_null(pc.take(self._row_counts, groups), 0)
        return pc.cumulative_sum(counts)

    def _combine(self, columns: Sequence[pa.Array]) -> pa.Array:
        combined: pa.Array | None = None
        bound = 1
        for position, (column, codes, size, null_equal) in enumerate(zip(columns, self._codes, self._sizes, self._null_equal, strict=True)):
            column_codes = codes.find(column)
            if null_equal:
                column_codes = pc.if_else(pc.is_null(column), arrow_scalar(size - 1, pa.int64()), column_codes)
            if combined is None:
                combined, bound = column_codes, size
                continue
            if self._build and bound > LARGEST_CODE // size:
                self._dense[position] = _Codes(combined)
            if position in self._dense:
                combined = self._dense[position].find(combined)
                bound = self._dense[position].size
            combined = pc.add(pc.multiply(combined, arrow_scalar(size, pa.int64())), column_codes)
            bound *= size
        assert combined is not None
        return combined


def _rows_by_code(codes: pa.Array, rows: pa.Array) -> pa.Array:
    """Returns the list of rows for each of the codes 0, 1, 2, …; each code occurs."""
    (distinct,), (lists,), count = reduce_groups([codes], [Reduction(rows, "list")], len(rows))
    return lists if distinct.equals(pa.arange(0, count)) else _scattered(lists, distinct, count)


def _scattered(values: pa.Array, places: pa.Array, count: int) -> pa.Array:
    """Returns an array with each value at the position in ``places``, a permutation of 0 to ``count`` - 1."""
    if not count:
        return values
    return pc.take(values, pc.inverse_permutation(places, max_index=count - 1, output_type=pa.int64()))


class _Codes:
    """Codes 0, 1, 2, … for the distinct values of a column, NULL excluded."""

    def __init__(self, column: pa.Array) -> None:
        values = pc.drop_null(column)
        self.size = 0
        self._by_address: pa.Array | None = None
        self._partition: RangePartition | None = None
        self._sets: list[pa.Array] = []
        self._offsets = [0]
        if not len(values):
            return
        if pa.types.is_integer(values.type) and self._is_addressed(values):
            return
        if len(values) <= ROWS_AT_ONCE:
            self._add(pc.unique(values))
            return
        from table_runtime.columns.range_partition import RangePartition  # few indexes are that large

        self._partition = RangePartition(values, len(values) // (ROWS_AT_ONCE // 2))
        for number, rows in enumerate(self._partition.rows(values)):
            self._add(pc.take(values, rows.slice(0, 1)) if self._partition.is_value(number) else pc.unique(pc.take(values, rows)))

    def _add(self, values: pa.Array) -> None:
        self._sets.append(values)
        self.size += len(values)
        self._offsets.append(self.size)

    def _is_addressed(self, values: pa.Array) -> bool:
        """Returns whether the range of the values is narrow; then it assigns codes by array position, many times faster than by hash."""
        bounds = pc.min_max(values).as_py()
        self._least, self._greatest = bounds["min"], bounds["max"]
        width = self._greatest - self._least + 1
        if not _is_narrow(width, len(values)):
            return False
        address = pc.subtract(pc.cast(values, pa.int64()), arrow_scalar(self._least, pa.int64()))
        present = pc.is_valid(pc.inverse_permutation(address, max_index=width - 1, output_type=pa.int64()))
        codes = pc.subtract(pc.cumulative_sum(pc.cast(present, pa.int64())), arrow_scalar(1, pa.int64()))
        self.size = present.true_count
        self._by_address = pa.concat_arrays([pa.nulls(1, pa.int64()), pc.if_else(present, codes, arrow_scalar(None, pa.int64()))])
        return True

    @property
    def is_hashed(self) -> bool:
        """Whether values are found by a hash table, which Arrow builds for each lookup."""
        return self.size > 0 and self._by_address is None

    def renumber(self, rows: pa.Array) -> bool:
        """Gives each value its number in ``rows`` as code, if codes are found by address; returns whether they are."""
        if self._by_address is None:
            return False
        self._by_address = pc.take(rows, self._by_address)
        return True

    def find(self, column: pa.Array) -> pa.Array:
        """Returns the codes; NULL for NULL and for unknown values."""
        if self.size == 0:
            return pa.nulls(len(column), pa.int64())
        if self._by_address is not None:
            return look_up(self._by_address, direct_positions(column, self._least, self._greatest))
        if self._partition is None:
            return self._codes_in(0, column)
        rows = self._partition.rows(column)
        codes = [self._codes_in(number, pc.take(column, here)) for number, here in enumerate(rows) if len(here)]
        return _scattered(concat_arrays(codes, pa.int64()), concat_arrays([here for here in rows if len(here)], pa.int64()), len(column))

    def _codes_in(self, number: int, column: pa.Array) -> pa.Array:
        positions = pc.cast(pc.index_in(column, value_set=self._sets[number]), pa.int64())
        return pc.add(positions, arrow_scalar(self._offsets[number], pa.int64()))
