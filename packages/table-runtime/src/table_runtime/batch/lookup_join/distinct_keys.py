"""The distinct keys of a batch, and the number of each row's key."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import make_batch, take_arrays
from table_runtime.columns.keys import KeyCodec


def distinct_keys(columns: Sequence[pa.Array], schema: pa.Schema) -> tuple[pa.Array, pa.RecordBatch]:
    """Returns for each row the position of its key in the distinct keys, and the distinct keys. It is NULL if a key column is NULL or NaN, which equal nothing."""
    codec = KeyCodec([column.type for column in columns])
    codes: pa.Array | None = None
    bound = 1
    for column in codec.encode(columns):
        encoded = (pc.if_else(pc.is_nan(column), None, column) if pa.types.is_floating(column.type) else column).dictionary_encode()
        indices = pc.cast(encoded.indices, pa.int64())
        if codes is None:
            codes, bound = indices, len(encoded.dictionary)
            continue
        # Both counts are at most the number of rows of a batch, so the product cannot overflow.
        combined = pc.add(pc.multiply(codes, pa.scalar(len(encoded.dictionary), pa.int64())), indices).dictionary_encode()
        codes, bound = pc.cast(combined.indices, pa.int64()), len(combined.dictionary)
    assert codes is not None
    if bound == 0:
        return codes, make_batch([pa.array([], type=field.type) for field in schema], schema, 0)
    rows = pc.inverse_permutation(codes, max_index=bound - 1, output_type=pa.int64())
    return codes, make_batch(take_arrays(columns, rows), schema, bound)
