"""The keys of one side of a join as a filter of the other side: which rows, and which ranges of values, may have a partner."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays
from table_runtime.columns.direct_index import as_int64, direct_positions, look_up

MOST_LISTED = 20_000
"""Keys that are looked up as a list. More integers become a table of bits, more keys of other types only bounds."""
MOST_RANGED = 2_000
"""Keys that are compared one by one with the range of a row group."""
DENSE_FACTOR = 64
"""A table of bits has one bit for each integer between the bounds if these are at most this many per key; otherwise bits are found by hash."""
DENSE_MINIMUM = 1 << 16
BITS_PER_KEY = 8
"""Bits for each key in a table that is found by hash: about one row in nine passes without a partner."""
MOST_KEYS = 1 << 23
"""A filter of more keys costs more than it saves."""
_MULTIPLIER = -7046029254386353131
"""An odd number whose bits look random, as a signed integer of 64 bits."""
TRIAL_ROWS = 1 << 17
"""Rows after which a filter is judged."""
JUDGED_ROWS = 1 << 12
"""Rows after which the share of rows that a filter keeps is an estimate for others."""
LEAST_DROPPED = 0.2
"""A filter that drops a smaller share of rows is not applied any more."""


def can_filter(type_: pa.DataType) -> bool:
    """Returns whether keys of a type have an order, and are equal exactly if Arrow says so of them or of the integers that ``_as_whole`` makes of them."""
    types = pa.types
    return bool(
        types.is_integer(type_)
        or types.is_date32(type_)
        or types.is_decimal(type_)
        or types.is_string(type_)
        or types.is_binary(type_)
        or types.is_timestamp(type_)
        or types.is_float64(type_)
    )


class KeyFilter:
    """A set of keys, or more than the set. It counts the rows that it tests and drops, and gives up if it drops few."""

    def __init__(self, keys: pa.Array) -> None:
        self.type = keys.type
        self.rows_in = self.rows_out = 0
        self.groups = self.groups_skipped = 0
        self._lock = threading.Lock()
        self.low: Any = None
        self.high: Any = None
        self._listed: pa.Array | None = None
        self._bits: pa.Array | None = None
        self._shift: int | None = None
        self._sorted: list[Any] | None = None
        self._is_double = pa.types.is_float64(self.type)
        valid = pc.drop_null(keys)
        if self._is_double:  # NaN equals nothing
            valid = valid.filter(pc.invert(pc.is_nan(valid)))
        self.is_empty = len(valid) == 0
        if self.is_empty:
            return
        bounds = pc.min_max(valid)
        self._low, self._high = bounds["min"], bounds["max"]
        self.low, self.high = _plain(self._low), _plain(self._high)
        whole = pa.types.is_integer(self.type) or pa.types.is_date32(self.type)
        if whole and self._fits(len(valid)):
            self._make_bits(valid)
        distinct = pc.unique(valid) if len(valid) <= MOST_LISTED else None
        if distinct is not None:
            if self._bits is None:
                self._listed = _as_whole(distinct)
            if len(distinct) <= MOST_RANGED:
                values = _plain_values(distinct)
                self._sorted = sorted(values) if values is not None else None
        elif (whole or self._is_double) and self._bits is None:
            self._make_hashed(_as_whole(valid))

    def _fits(self, count: int) -> bool:
        width = int(self.high) - int(self.low) + 1
        return width <= max(DENSE_MINIMUM, DENSE_FACTOR * count)

    def _make_bits(self, keys: pa.Array) -> None:
        places = pc.subtract(as_int64(keys), arrow_scalar(int(self.low), pa.int64()))
        width = int(self.high) - int(self.low) + 1
        self._bits = pc.cast(_present(pc.add(places, arrow_scalar(1, pa.int64())), width), pa.int8())

    def _make_hashed(self, keys: pa.Array) -> None:
        bits = max(16, (BITS_PER_KEY * len(keys)).bit_length())
        self._shift = 64 - bits
        places = pc.cast(self._places(as_int64(keys)), pa.int64())
        self._bits = pc.cast(_present(places, (1 << bits) - 1), pa.int8())

    def _places(self, keys: pa.Array) -> pa.Array:
        mixed = pc.multiply(keys, arrow_scalar(_MULTIPLIER, pa.int64())).view(pa.uint64())
        assert self._shift is not None
        return pc.cast(pc.shift_right(mixed, arrow_scalar(self._shift, pa.uint64())), pa.uint32(), safe=False)

    @property
    def is_useful(self) -> bool:
        """Whether the filter has dropped enough of the rows that it has tested."""
        return self.rows_in < TRIAL_ROWS or self.rows_out <= (1 - LEAST_DROPPED) * self.rows_in

    @property
    def expected_share(self) -> float:
        """The share of rows that the filter is expected to keep: what it kept before; without rows before it is little for few keys."""
        if self.rows_in >= JUDGED_ROWS:
            return self.rows_out / self.rows_in
        return 1.0 if self._sorted is None and not self.is_empty else len(self._sorted or ()) / MOST_RANGED

    @property
    def text(self) -> str:
        """Describes the filter by the number of its keys, or by its bounds."""
        if self._sorted is not None:
            return f"{len(self._sorted)} keys"
        return f"{self.low} to {self.high}" if not self.is_empty else "no keys"

    def has_between(self, low: Any, high: Any) -> bool:
        """Returns whether a key may lie between the bounds, Python values of the key's type; true for bounds of another type."""
        if self.is_empty:
            return False
        if self.low is None or type(low) is not type(self.low) or type(high) is not type(self.low):
            return True
        if high < self.low or low > self.high:
            return False
        if self._sorted is None:
            return True
        position = bisect_left(self._sorted, low)
        return position < len(self._sorted) and bool(self._sorted[position] <= high)

    def count_groups(self, total: int, skipped: int) -> None:
        """Counts row groups that were tested and skipped."""
        with self._lock:
            self.groups += total
            self.groups_skipped += skipped

    def mask(self, column: pa.Array) -> pa.Array:
        """Returns which values may be keys: false for NULL."""
        if self.is_empty:
            result = pa.repeat(arrow_scalar(False, pa.bool_()), len(column))
        elif not len(column):
            result = arrow_array([], pa.bool_())
        elif self._bits is not None:
            if self._shift is None:
                places = direct_positions(column, int(self.low), int(self.high))
            else:
                places = self._places(as_int64(_as_whole(pc.fill_null(column, self._low))))
            # Bytes, because Arrow packs bits one by one.
            result = pc.cast(look_up(self._bits, places), pa.bool_())
            if self._shift is not None and column.null_count:
                result = pc.and_(result, pc.is_valid(column))
        elif self._listed is not None:
            result = pc.is_in(_as_whole(column), value_set=self._listed)
        else:
            inside = pc.and_(pc.greater_equal(column, self._low), pc.less_equal(column, self._high))
            result = pc.fill_null(inside, False)
        with self._lock:
            self.rows_in += len(column)
            self.rows_out += result.true_count
        return result


def key_filter(chunks: Sequence[pa.Array], type_: pa.DataType) -> KeyFilter | None:
    """Returns the filter of keys of a type; None if there are too many."""
    if sum(map(len, chunks)) > MOST_KEYS or sum(chunk.nbytes for chunk in chunks) > 8 * MOST_KEYS:
        return None
    return KeyFilter(concat_arrays(list(chunks), type_))


def _present(places: pa.Array, last: int) -> pa.Array:
    """Returns which of the positions 0 to ``last`` are among the places."""
    return pc.is_valid(pc.inverse_permutation(places, max_index=last, output_type=pa.int64()))


def _as_whole(values: pa.Array) -> pa.Array:
    """Returns DOUBLE values as integers that are equal for equal numbers; other values as they are."""
    if not pa.types.is_float64(values.type):
        return values
    return pc.add(values, arrow_scalar(0.0, pa.float64())).view(pa.int64())  # -0.0 + 0.0 is 0.0


def _plain(value: pa.Scalar) -> Any:
    """Returns a bound as a Python value like those in statistics of Parquet; an integer for dates, whose range may be that of Python."""
    if pa.types.is_date32(value.type):
        return value.value
    if pa.types.is_timestamp(value.type):
        return None
    return value.as_py()


def _plain_values(values: pa.Array) -> list[Any] | None:
    if pa.types.is_date32(values.type):
        return list(values.view(pa.int32()).to_pylist())
    return None if pa.types.is_timestamp(values.type) else list(values.to_pylist())
