"""States that are lists of values: built from positions, so that values may be of any type."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["concat_lists", "gather", "positions"]


def positions(rows: int, mask: pa.Array | None = None) -> pa.Array:
    """Returns 0, 1, 2, …, NULL where the mask is not true."""
    numbers = pa.arange(0, rows) if rows else pa.array([], type=pa.int64())
    return numbers if mask is None else pc.if_else(mask, numbers, pa.scalar(None, pa.int64()))


def gather(chosen: pa.Array, values: pa.Array) -> pa.Array:
    """Returns lists of values, given lists of positions in ``values``; NULL positions are left out."""
    flat = pc.list_flatten(chosen)
    offsets = _offsets(chosen)
    if flat.null_count:
        kept = pc.cumulative_sum(pc.cast(pc.is_valid(flat), pa.int32()))
        offsets = pc.take(pa.concat_arrays([pa.array([0], type=pa.int32()), kept]), offsets)
        flat = pc.drop_null(flat)
    taken = pa.nulls(len(flat)) if pa.types.is_null(values.type) else pc.take(values, flat)
    return pa.ListArray.from_arrays(offsets, taken)


def concat_lists(chosen: pa.Array, lists: pa.Array) -> pa.Array:
    """Returns lists that are put together from lists, given lists of positions in ``lists``."""
    taken = pc.take(lists, pc.list_flatten(chosen))
    ends = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(pc.list_value_length(taken))])
    return pa.ListArray.from_arrays(pc.take(ends, _offsets(chosen)), pc.list_flatten(taken))


def _offsets(lists: pa.Array) -> pa.Array:
    """Returns the offsets of the lists into their ``flatten()``; there are no NULL lists here."""
    lengths = pc.list_value_length(lists)
    return pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(lengths)])
