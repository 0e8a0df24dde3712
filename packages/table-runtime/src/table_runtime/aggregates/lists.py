"""States that are lists of values, built from row positions, so that values may have any type."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc


def positions(rows: int, mask: pa.Array | None = None) -> pa.Array:
    """Returns 0, 1, 2, …, NULL where the mask is not true."""
    numbers = pa.arange(0, rows) if rows else pa.array([], type=pa.int64())
    return numbers if mask is None else pc.if_else(mask, numbers, pa.scalar(None, pa.int64()))


def gather(selected: pa.Array, values: pa.Array) -> pa.Array:
    """Returns the lists of values at lists of positions in ``values``; NULL positions are dropped."""
    flat = pc.list_flatten(selected)
    offsets = _offsets(selected)
    if flat.null_count:
        valid_before = pc.cumulative_sum(pc.cast(pc.is_valid(flat), pa.int32()))
        offsets = pc.take(pa.concat_arrays([pa.array([0], type=pa.int32()), valid_before]), offsets)
        flat = pc.drop_null(flat)
    gathered = pa.nulls(len(flat)) if pa.types.is_null(values.type) else pc.take(values, flat)
    return pa.ListArray.from_arrays(offsets, gathered)


def concat_lists(selected: pa.Array, lists: pa.Array) -> pa.Array:
    """Returns concatenations of lists; each is given by a list of positions in ``lists``."""
    gathered = pc.take(lists, pc.list_flatten(selected))
    ends = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(pc.list_value_length(gathered))])
    return pa.ListArray.from_arrays(pc.take(ends, _offsets(selected)), pc.list_flatten(gathered))


def _offsets(lists: pa.Array) -> pa.Array:
    """Returns the offsets of the lists into their ``flatten()``; no list is NULL."""
    lengths = pc.list_value_length(lists)
    return pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(lengths)])
