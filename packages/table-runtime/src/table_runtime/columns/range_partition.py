"""Range-partitions the rows of large columns by sampled bounds, which limits the rows per kernel call."""

from __future__ import annotations

import itertools
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays
from table_runtime.columns.sorted_search import search_sorted

SLICE_ROWS = 1 << 17
SAMPLES_PER_RANGE = 32


class RangePartition:
    """Ranges between sampled values, and one range per sampled value, so that a frequent value has its own range.

    Range ``2 * i`` holds values below the i-th bound, range ``2 * i + 1`` the bound itself, the last range NULLs.
    """

    def __init__(self, values: pa.Array | pa.ChunkedArray, ranges: int) -> None:
        values = _comparable(values)
        sample_size = min(len(values), ranges * SAMPLES_PER_RANGE)
        places = pc.divide(pc.multiply(pa.arange(0, sample_size), pa.scalar(len(values), pa.int64())), pa.scalar(sample_size, pa.int64()))
        sample = pc.drop_null(flat(pc.take(values, places)))
        sample = pc.take(sample, pc.sort_indices(sample))
        self._bounds = pc.unique(pc.take(sample, pa.arange(0, len(sample), SAMPLES_PER_RANGE)) if len(sample) else sample)
        self.count = 2 * len(self._bounds) + 2
        """Number of ranges, including that of NULL."""

    def is_value(self, number: int) -> bool:
        """Returns whether all rows of a range have the same value."""
        return number % 2 == 1

    def rows(self, values: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
        """Returns the row positions of each range, in input order."""
        parts: list[list[pa.Array]] = [[] for _ in range(self.count)]
        edges = pa.arange(0, self.count + 1)
        for start in range(0, len(values), SLICE_ROWS):
            numbers = self._numbers(flat(values.slice(start, SLICE_ROWS)))
            order = pc.cast(pc.sort_indices(numbers), pa.int64())
            offsets = search_sorted(pc.take(numbers, order), edges).to_pylist()
            order = pc.add(order, pa.scalar(start, pa.int64()))
            for number, (begin, end) in enumerate(itertools.pairwise(offsets)):
                if end > begin:
                    parts[number].append(order.slice(begin, end - begin))
        return [concat_arrays(part, pa.int64()) for part in parts]

    def _numbers(self, values: pa.Array) -> pa.Array:
        values = _comparable(values)
        below, until = (search_sorted(self._bounds, values, side) for side in ("left", "right"))
        return pc.fill_null(pc.add(below, until), self.count - 1)


def flat(values: Any) -> pa.Array:
    """Returns an array or chunked array as one array."""
    return concat_arrays(values.chunks, values.type) if isinstance(values, pa.ChunkedArray) else values


def _comparable(values: Any) -> Any:
    # Arrow cannot search sorted decimals. The conversion is monotonic: adjacent numbers may become equal.
    return pc.cast(values, pa.float64()) if pa.types.is_decimal(values.type) else values
