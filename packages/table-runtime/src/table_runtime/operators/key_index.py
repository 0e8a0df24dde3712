"""Finds the rows of a table by key: the build side of a hash join.

Arrow can look values up in a set of values but not in a table that is built once. So each key column gets the codes of its distinct values,
several columns are combined into one number, and the distinct numbers lead to the rows. Whole numbers in a narrow range, which combined codes
and surrogate keys mostly are, are looked up by address instead of by hash.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.aggregates import Reduction
from table_runtime.operators.grouping import reduce_groups

__all__ = ["KeyIndex"]

LARGEST_CODE = 2**62
DENSE_FACTOR = 4
"""Numbers are looked up by address if their range is at most so many times their count."""
DENSE_MINIMUM = 1 << 16


class KeyIndex:
    """Rows by key; the columns are encoded by a ``KeyCodec``. A row with a NULL key is found only where ``null_equal`` says so."""

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
        rows = pa.arange(0, len(groups)) if len(groups) else pa.array([], type=pa.int64())
        valid = pc.is_valid(groups)
        rows, groups = pc.filter(rows, valid), pc.filter(groups, valid)
        count = self._keys.size if self._keys is not None else self._codes[0].size
        self.is_unique = count == len(rows)
        """Whether no two rows have the same key."""
        self.rows_per_key = len(rows) / count if count else 0.0
        # Codes are given in the order of first rows.
        self._row_of = rows if self.is_unique else None
        self._rows_of = None if self.is_unique else _rows_by_code(groups, rows)

    def groups(self, columns: Sequence[pa.Array]) -> pa.Array:
        """Returns for each probe row the number of its key, NULL if no row has it."""
        combined = self._combine(columns)
        return self._keys.find(combined) if self._keys is not None else combined

    def pairs(self, columns: Sequence[pa.Array]) -> tuple[pa.Array | None, pa.Array]:
        """Returns (probe position, row) of all pairs with equal keys, by probe position; None for positions 0, 1, 2, …"""
        groups = self.groups(columns)
        if self._row_of is not None:
            rows = pc.take(self._row_of, groups)
            if rows.null_count == 0:
                return None, rows
            valid = pc.is_valid(rows)
            return pc.filter(pa.arange(0, len(rows)), valid), pc.drop_null(rows)
        lists = pc.take(self._rows_of, groups)
        return pc.cast(pc.list_parent_indices(lists), pa.int64()), pc.list_flatten(lists)

    def _combine(self, columns: Sequence[pa.Array]) -> pa.Array:
        combined: pa.Array | None = None
        bound = 1
        for position, (column, codes, size, null_equal) in enumerate(zip(columns, self._codes, self._sizes, self._null_equal, strict=True)):
            found = codes.find(column)
            if null_equal:
                found = pc.if_else(pc.is_null(column), pa.scalar(size - 1, pa.int64()), found)
            if combined is None:
                combined, bound = found, size
                continue
            if self._build and bound > LARGEST_CODE // size:
                self._dense[position] = _Codes(combined)
            if position in self._dense:
                combined = self._dense[position].find(combined)
                bound = self._dense[position].size
            combined = pc.add(pc.multiply(combined, pa.scalar(size, pa.int64())), found)
            bound *= size
        assert combined is not None
        return combined


def _rows_by_code(codes: pa.Array, rows: pa.Array) -> pa.Array:
    """Returns the list of rows for each of the codes 0, 1, 2, …, all of which are there."""
    (found,), (lists,), count = reduce_groups([codes], [Reduction(rows, "list")], len(rows))
    if found.equals(pa.arange(0, count)):
        return lists
    return pc.take(lists, pc.inverse_permutation(found, max_index=count - 1, output_type=pa.int64()))


class _Codes:
    """0, 1, 2, … for the distinct values of a column that are not NULL, in the order of their first rows."""

    def __init__(self, column: pa.Array) -> None:
        self._values = pc.unique(pc.drop_null(column))
        self.size = len(self._values)
        self._least: int | None = None
        self._by_address: pa.Array | None = None
        if self.size and pa.types.is_integer(self._values.type):
            bounds = pc.min_max(self._values).as_py()
            width = bounds["max"] - bounds["min"] + 1
            if width <= max(DENSE_MINIMUM, DENSE_FACTOR * self.size):
                self._least = bounds["min"]
                self._greatest = bounds["max"]
                everything = pc.cast(pc.add(pa.arange(0, width), pa.scalar(bounds["min"], pa.int64())), self._values.type)
                self._by_address = pc.cast(pc.index_in(everything, value_set=self._values), pa.int64())

    def find(self, column: pa.Array) -> pa.Array:
        """Returns the codes, NULL for NULL and for values that are not there."""
        if self.size == 0:
            return pa.nulls(len(column), pa.int64())
        if self._by_address is not None:
            type_ = column.type
            inside = pc.and_(
                pc.greater_equal(column, pa.scalar(self._least, type_)), pc.less_equal(column, pa.scalar(self._greatest, type_))
            )
            address = pc.subtract(pc.cast(column, pa.int64()), pa.scalar(self._least, pa.int64()))
            return pc.take(self._by_address, pc.if_else(inside, address, pa.scalar(None, pa.int64())))
        return pc.cast(pc.index_in(column, value_set=self._values), pa.int64())
