"""The table that a changelog describes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from table_common.connector import RowKind

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
    _WORTH_NUMBERS = 1_000
    """From this number of changes on, those that cancel each other are found by numbers of their rows instead of their values."""

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
        kinds: list[int] = changes.column(width).to_pylist() if changes.num_columns > width else [0] * changes.num_rows
        rows = changes.select(list(range(width)))
        is_retraction = [kind in _RETRACTIONS for kind in kinds]
        self.has_retractions = self.has_retractions or True in is_retraction
        if rows.num_rows >= self._WORTH_NUMBERS and True in is_retraction:
            taken_back, added = _not_cancelled(_row_numbers(rows), is_retraction)
            for key in _keys(rows.take(pa.array(taken_back, pa.int64()))):
                self._take_back(key)
            rows = rows.take(pa.array(added, pa.int64()))
            is_retraction = [False] * rows.num_rows
        for position, (key, is_taken_back) in enumerate(zip(_keys(rows), is_retraction, strict=True), self._all):
            if is_taken_back:
                self._take_back(key)
            else:
                self._positions.setdefault(key, []).append(position)
                self._remaining += 1
        self._chunks += rows.to_batches() if isinstance(rows, pa.Table) else [rows]
        self._all += rows.num_rows
        if self._all > 2 * self._remaining + self._FEW_ROWS or len(self._chunks) > self._MANY_CHUNKS:
            self._compact()

    def _take_back(self, key: Hashable) -> None:
        if positions := self._positions.get(key):
            positions.pop()
            self._remaining -= 1
            if not positions:
                del self._positions[key]

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


def _not_cancelled(numbers: Sequence[int], is_retraction: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Returns the positions of the retractions, and of the other changes, that no change beside them cancels; equal rows have equal numbers."""
    open_positions: dict[int, list[int]] = {}
    taken_back: list[int] = []
    for position, (number, is_taken_back) in enumerate(zip(numbers, is_retraction, strict=True)):
        if not is_taken_back:
            open_positions.setdefault(number, []).append(position)
        elif positions := open_positions.get(number):
            positions.pop()
        else:
            taken_back.append(position)
    return taken_back, sorted(position for positions in open_positions.values() for position in positions)


def _row_numbers(rows: pa.Table | pa.RecordBatch) -> list[int]:
    """Returns a number for each row, the same for equal rows."""
    numbers = pa.array([0] * rows.num_rows, pa.int64())
    for column in rows.columns:
        of_column, count = _value_numbers(column)
        both = pc.add_checked(pc.multiply_checked(numbers, pa.scalar(count, pa.int64())), of_column)
        numbers = both.dictionary_encode().indices.cast(pa.int64())  # small again, so that the next product is in range
    result: list[int] = numbers.to_pylist()
    return result


def _value_numbers(column: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, int]:
    """Returns a number for each value of a column, the same for equal values, and how many numbers there are."""
    values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_floating(values.type):
        values = pc.add(values, pa.scalar(0, values.type))  # 0.0 equals -0.0
    if pa.types.is_nested(values.type) or pa.types.is_dictionary(values.type) or isinstance(values.type, pa.BaseExtensionType):
        seen: dict[Hashable, int] = {}
        return pa.array([seen.setdefault(_key(value), len(seen)) for value in values.to_pylist()], pa.int64()), max(1, len(seen))
    encoded = values.dictionary_encode(null_encoding="encode")
    return encoded.indices.cast(pa.int64()), max(1, len(encoded.dictionary))


def _keys(rows: pa.Table | pa.RecordBatch) -> list[Hashable]:
    columns = [[_key(value) for value in column.to_pylist()] for column in rows.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * rows.num_rows


def _key(value: Any) -> Hashable:
    if isinstance(value, float) and value != value:
        return "NaN"
    return repr(value) if isinstance(value, list | dict) else value
