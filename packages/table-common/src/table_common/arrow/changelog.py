"""The table that a changelog describes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pyarrow as pa

from table_common.connector import RowKind

__all__ = ["apply_changes"]

_RETRACTIONS = frozenset({RowKind.UPDATE_BEFORE.value, RowKind.DELETE.value})


def apply_changes(changes: pa.Table, width: int) -> pa.Table:
    """Returns the rows that remain after all changes, without the column of row kinds.

    Each retraction takes back the last row that is equal to it in all columns; NaN equals NaN. A retraction of a row that is not there is ignored.

    Args:
        changes: ``width`` columns, followed by the row kinds (int8). A table without that column is returned as it is.
        width: The number of columns of a row.
    """
    if changes.num_columns == width:
        return changes
    rows = changes.select(list(range(width)))
    kinds = changes.column(width).to_pylist()
    present: dict[Hashable, list[int]] = {}
    for position, (key, kind) in enumerate(zip(_keys(rows), kinds, strict=True)):
        if kind not in _RETRACTIONS:
            present.setdefault(key, []).append(position)
        elif positions := present.get(key):
            positions.pop()
    kept = sorted(position for positions in present.values() for position in positions)
    return rows.take(pa.array(kept, pa.int64()))


def _keys(rows: pa.Table) -> list[Hashable]:
    columns = [[_key(value) for value in column.to_pylist()] for column in rows.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.num_rows


def _key(value: Any) -> Hashable:
    if isinstance(value, float) and value != value:
        return "NaN"
    return repr(value) if isinstance(value, list | dict) else value
