"""Applies the changes of a job to the rows of a memory table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.connector import RowKind
from table_common.frozen_dataclass import dataclass, field
from table_runtime.columns.plain_types import plain_schema
from table_runtime.connectors.memory.definition import MemoryDefinition

Row = dict[str, Any]


@dataclass(frozen=True)
class MemoryChange:
    """How rows are written.

    ``columns`` are the stored columns that the rows contain. ``targets`` are the positions in them that are updated in an existing row with
    the same key (None: all). ``overwrite`` replaces the static and written partitions, or with ``whole`` the whole table.
    """

    definition: MemoryDefinition
    columns: tuple[str, ...]
    targets: tuple[int, ...] | None = None
    static_partition: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    whole: bool = False
    has_row_kinds: bool = False

    def applied(self, old: pa.Table, batches: Sequence[pa.RecordBatch]) -> pa.Table:
        """Returns the rows of the table after the job."""
        new: list[tuple[Row, RowKind]] = []
        for batch in batches:
            cells = [column.to_pylist() for column in batch.cast(plain_schema(batch.schema)).columns]
            kinds = [RowKind(code) for code in cells.pop()] if self.has_row_kinds else [RowKind.INSERT] * batch.num_rows
            values = zip(*cells, strict=True) if cells else iter([()] * batch.num_rows)
            new += [(dict(zip(self.columns, row, strict=True)), kind) for row, kind in zip(values, kinds, strict=True)]
        if self.overwrite:
            old = self._without_overwritten(old, [row for row, _ in new])
        rows: list[Row] = old.cast(plain_schema(old.schema)).to_pylist()
        for position, (row, kind) in enumerate(new):
            if kind is RowKind.UPDATE_BEFORE:
                if self._is_updated_next(row, new[position + 1 : position + 2]):
                    continue
                kind = RowKind.DELETE  # what an update takes back, and does not put in its place
            self._apply(rows, row, kind)
        return _table_of(rows, old.schema)

    def _is_updated_next(self, row: Row, following: Sequence[tuple[Row, RowKind]]) -> bool:
        """Returns whether the next row is the same one, by its key, after the update: the stored row is then changed where it is."""
        keys = self.definition.primary_key
        return bool(keys) and any(
            kind is RowKind.UPDATE_AFTER and all(_is_same(row[key], after[key]) for key in keys) for after, kind in following
        )

    def _apply(self, rows: list[Row], row: Row, kind: RowKind) -> None:
        keys = self.definition.primary_key
        if not keys and kind in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            rows.append(row)
            return
        matches = [i for i, old in enumerate(rows) if all(_is_same(old[key], row[key]) for key in keys or self.columns)]
        if kind is RowKind.DELETE:
            if matches:
                del rows[matches[0]]
        elif keys and matches:
            updated_columns = self.columns if self.targets is None else [self.columns[i] for i in self.targets]
            rows[matches[0]] = {**rows[matches[0]], **{name: row[name] for name in updated_columns}}
        elif kind in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            rows.append(row)

    def _without_overwritten(self, old: pa.Table, new: Sequence[Row]) -> pa.Table:
        keys = self.definition.partition_keys
        if self.whole or not keys:
            return old.slice(0, 0)
        written = set(self.definition.partitions_of(_table_of(new, old.schema)))
        if all(key in self.static_partition for key in keys):
            written.add(tuple(self.static_partition[key] for key in keys))
        return old.filter(pa.array([partition not in written for partition in self.definition.partitions_of(old)], pa.bool_()))


def _table_of(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=plain_schema(schema)).cast(schema)


def _is_same(left: Any, right: Any) -> bool:
    """Returns whether two stored values are equal; NaN equals NaN, also inside of rows, arrays and maps."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_is_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_same(value, right[key]) for key, value in left.items())
    return bool(left == right or (left != left and right != right))
