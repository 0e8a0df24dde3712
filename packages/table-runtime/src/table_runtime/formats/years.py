"""The years of dates and timestamps: binary formats can have others than 1 to 9999, mostly because a file is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["has_years", "row_of_other_years"]

_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _END = 1 - _EPOCH, date.max.toordinal() - _EPOCH + 1
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}


def has_years(type_: pa.DataType) -> bool:
    """Returns whether values of the type have dates, at any depth."""
    inner = [type_.field(position).type for position in range(type_.num_fields)]
    return pa.types.is_date32(type_) or pa.types.is_timestamp(type_) or any(map(has_years, inner))


def row_of_other_years(columns: Sequence[pa.Array]) -> tuple[int, int] | None:
    """Returns column and row of the first value, at any depth, with a date outside of the years 1 to 9999, or None."""
    for number, column in enumerate(columns):
        if _has_other_years(column):
            return number, next(row for row in range(len(column)) if _has_other_years(column.slice(row, 1)))
    return None


def _has_other_years(array: pa.Array) -> bool:
    type_ = array.type
    if pa.types.is_struct(type_):
        return any(_has_other_years(field) for field in array.flatten())
    if pa.types.is_list(type_):
        return _has_other_years(array.flatten())
    if pa.types.is_map(type_):
        # The entries of a slice, without those of the other maps.
        return _has_other_years(array.cast(pa.list_(pa.struct([type_.key_field, type_.item_field]))).flatten())
    if pa.types.is_date32(type_):
        bounds, per_day = pc.min_max(array.view(pa.int32())), 1
    elif pa.types.is_timestamp(type_) and type_.unit != "ns":
        bounds, per_day = pc.min_max(array.view(pa.int64())), _PER_DAY[type_.unit]
    else:
        return False
    least, most = bounds["min"].as_py(), bounds["max"].as_py()
    return least is not None and not _FIRST * per_day <= least <= most < _END * per_day
