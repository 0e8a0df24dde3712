"""Deterministic functions over columns with few different values are called once per value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from table_common.arrow import compute as pc

Columns = Sequence[pa.Array | pa.Scalar]
SMALLEST_BATCH = 256
"""Minimum rows of a batch: in smaller batches the search for equal values costs more than it saves."""
SAMPLE = 1024
FEW = 4
"""Minimum average rows per distinct value."""


def once_per_value(columns: Columns, rows: int, compute: Callable[[Columns, int], pa.Array]) -> pa.Array:
    """Returns ``compute`` for the rows; if the columns have few distinct values, it is called once per distinct value."""
    varying = [i for i, column in enumerate(columns) if not isinstance(column, pa.Scalar)]
    if not varying:
        return _repeated(compute(columns, 1), rows)
    if rows < SMALLEST_BATCH or len(varying) > 1 or pa.types.is_nested(columns[varying[0]].type):
        return compute(columns, rows)
    column = columns[varying[0]]
    assert isinstance(column, pa.Array)
    # The sample is contiguous: in sorted data equal values are adjacent, which a scattered sample would miss.
    sample = column.slice((rows - SAMPLE) // 2, SAMPLE) if rows > SAMPLE else column
    if len(pc.unique(sample)) * FEW > len(sample):
        return compute(columns, rows)
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    if len(encoded.dictionary) * FEW > rows:
        return compute(columns, rows)
    called = list(columns)
    called[varying[0]] = encoded.dictionary
    return pc.take(compute(called, len(encoded.dictionary)), encoded.indices)


def _repeated(single: pa.Array, rows: int) -> pa.Array:
    return pc.take(single, pa.repeat(pa.scalar(0, pa.int32()), rows))
