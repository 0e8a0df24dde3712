"""The table that a changelog describes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pyarrow as pa

from table_common.connector import RowKind

__all__ = ["RemainingRows", "apply_changes"]

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
    remaining = RemainingRows(pa.schema(list(changes.schema)[:width], changes.schema.metadata))
    remaining.add(changes)
    return remaining.table()


class RemainingRows:
    """The rows that remain after the changes so far, in the order in which they came; see ``apply_changes``.

    What was taken back is forgotten from time to time, so the memory is that of the rows that remain.

    Example:
        >>> rows = RemainingRows(pa.schema([("word", pa.string()), ("n", pa.int64())]))
        >>> rows.add(pa.table({"word": ["a", "a", "a"], "n": [1, 1, 2], "kind": pa.array([0, 1, 2], pa.int8())}))
        >>> rows.table().to_pylist()
        [{'word': 'a', 'n': 2}]
    """

    _FEW_ROWS = 65_536
    _MANY_CHUNKS = 256

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._chunks: list[pa.RecordBatch] = []
        self._positions: dict[Hashable, list[int]] = {}
        self._all = 0
        self._remaining = 0
        self.has_retractions = False
        """Whether one of the changes took a row back."""

    def add(self, changes: pa.RecordBatch | pa.Table) -> None:
        """Applies changes: the columns of a row, and the row kinds (int8) unless all are insertions."""
        width = len(self._schema)
        kinds: Iterable[int] = changes.column(width).to_pylist() if changes.num_columns > width else [0] * changes.num_rows
        rows = changes.select(list(range(width)))
        for position, (key, kind) in enumerate(zip(_keys(rows), kinds, strict=True), self._all):
            if kind not in _RETRACTIONS:
                self._positions.setdefault(key, []).append(position)
                self._remaining += 1
                continue
            self.has_retractions = True
            if positions := self._positions.get(key):
                positions.pop()
                self._remaining -= 1
                if not positions:
                    del self._positions[key]
        self._chunks += rows.to_batches() if isinstance(rows, pa.Table) else [rows]
        self._all += rows.num_rows
        if self._all > 2 * self._remaining + self._FEW_ROWS or len(self._chunks) > self._MANY_CHUNKS:
            self._compact()

    def table(self) -> pa.Table:
        """Returns the rows that remain."""
        if self._all > self._remaining:
            self._compact()
        return pa.Table.from_batches(self._chunks, self._schema)

    def _compact(self) -> None:
        rows = pa.Table.from_batches(self._chunks, self._schema)
        if self._all > self._remaining:
            kept = sorted(position for positions in self._positions.values() for position in positions)
            new_position = {position: number for number, position in enumerate(kept)}
            for positions in self._positions.values():
                positions[:] = [new_position[position] for position in positions]
            rows = rows.take(pa.array(kept, pa.int64()))
            self._all = len(kept)
        self._chunks = rows.combine_chunks().to_batches()


def _keys(rows: pa.Table | pa.RecordBatch) -> list[Hashable]:
    columns = [[_key(value) for value in column.to_pylist()] for column in rows.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.num_rows


def _key(value: Any) -> Hashable:
    if isinstance(value, float) and value != value:
        return "NaN"
    return repr(value) if isinstance(value, list | dict) else value
