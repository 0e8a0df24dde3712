"""Fields inside rows: their names and types by a path, and their values as columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import LogicalType, RowType


def names_along(path: Sequence[int], row_type: LogicalType) -> tuple[str, ...]:
    """Returns the names of the fields that a path of positions leads through."""
    names = []
    for position in path:
        assert isinstance(row_type, RowType)
        names.append(row_type.fields[position].name)
        row_type = row_type.fields[position].type
    return tuple(names)


def type_at(names: Sequence[str], row_type: LogicalType) -> LogicalType:
    """Returns the type of the field that names lead to, from the outermost inwards; it is nullable, because a row on the way may be NULL."""
    for name in names:
        assert isinstance(row_type, RowType)
        row_type = row_type.fields[row_type.field_names.index(name)].type
    return row_type.with_nullability(True)


def array_at(rows: pa.Array, names: Sequence[str]) -> pa.Array:
    """Returns the field of a column of rows that names lead to; NULL where a row on the way is NULL."""
    for name in names:
        rows = pc.struct_field(rows, [rows.type.get_field_index(name)])
    return rows
