"""Batches of a changelog: rows, and the kind of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.connector import RowKind
from table_runtime.columns.batches import make_batch, rechunk
from table_runtime.formats import ROW_KIND_FIELD

Kinds = np.ndarray[tuple[int], np.dtype[np.int8]]
"""The kind of each row, as ``RowKind.value``."""

Times = np.ndarray[Any, np.dtype[np.int64]]
"""A number for each row, such as milliseconds since 1970."""

Truths = np.ndarray[Any, np.dtype[np.bool_]]
"""A truth value for each row, or for each slot."""

INSERT = RowKind.INSERT.value
UPDATE_BEFORE = RowKind.UPDATE_BEFORE.value
UPDATE_AFTER = RowKind.UPDATE_AFTER.value
DELETE = RowKind.DELETE.value

PARTIAL = np.int8(4)
"""Added to the kind of a retraction that has the columns of the key of its table alone, on its way to the exchange that divides the rows."""
WHOLE = np.int8(3)
"""The part of a kind without ``PARTIAL``."""


class ChangeBatch:
    """Rows of one edge, in the order in which they come. ``kinds`` None: all are insertions.

    ``before`` is the watermark in force when each row came, in milliseconds; None: that of the input of the operator that gets the batch.
    """

    __slots__ = ("before", "kinds", "rows")

    def __init__(self, rows: pa.RecordBatch, kinds: Kinds | None = None, before: Times | None = None) -> None:
        self.rows = rows
        self.kinds = kinds
        self.before = before

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return int(self.rows.num_rows)

    @property
    def all_kinds(self) -> Kinds:
        """The kind of each row, also where all are insertions."""
        return np.zeros(self.num_rows, np.int8) if self.kinds is None else self.kinds

    @property
    def signs(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """1 for rows that add (INSERT, UPDATE_AFTER), -1 for rows that retract (UPDATE_BEFORE, DELETE)."""
        if self.kinds is None:
            return np.ones(self.num_rows, np.int64)
        return 1 - 2 * (self.kinds & 1).astype(np.int64)

    def watermarks(self, watermark: int) -> Times:
        """Returns the watermark before each row; ``watermark``, that of the operator's input, for rows without one."""
        return np.full(self.num_rows, watermark) if self.before is None else self.before

    def is_behind(self, times: Times, watermark: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns for which rows the watermark had reached the row's time when it came; ``watermark`` as in ``watermarks``."""
        return times <= (watermark if self.before is None else self.before)

    def columns(self, positions: Sequence[int]) -> list[pa.Array]:
        """Returns some of the columns."""
        return [self.rows.column(position) for position in positions]

    def slice(self, start: int, rows: int) -> ChangeBatch:
        """Returns some of the rows, without copying them."""
        end = start + rows
        return ChangeBatch(
            self.rows.slice(start, rows),
            None if self.kinds is None else self.kinds[start:end],
            None if self.before is None else self.before[start:end],
        )

    def take(self, positions: Times) -> ChangeBatch:
        """Returns the rows at some positions."""
        return ChangeBatch(
            self.rows.take(pa.array(positions)),
            None if self.kinds is None else self.kinds[positions],
            None if self.before is None else self.before[positions],
        )

    def with_kind_column(self) -> pa.RecordBatch:
        """Returns the rows followed by the column ``$row_kind``."""
        schema = self.rows.schema.append(ROW_KIND_FIELD)
        return make_batch([*self.rows.columns, pa.array(self.all_kinds, pa.int8())], schema, self.num_rows)

    def as_rows(self, *, has_kinds: bool, before_is_deletion: bool) -> pa.RecordBatch:
        """Returns the rows as a reader takes them: with ``has_kinds`` the kind of each is the last column, with ``before_is_deletion`` rows before updates are deletions."""
        if not has_kinds:
            return self.rows
        if before_is_deletion and self.kinds is not None:
            return ChangeBatch(self.rows, np.where(self.kinds == UPDATE_BEFORE, np.int8(DELETE), self.kinds)).with_kind_column()
        return self.with_kind_column()

    @classmethod
    def of_numbered(cls, batch: pa.RecordBatch, schema: pa.Schema) -> ChangeBatch:
        """Returns the changes of a batch whose last column is the number of the change: its position times four, plus its kind."""
        numbers = np.asarray(batch.column(batch.num_columns - 1))
        return cls(make_batch(batch.columns[:-1], schema, batch.num_rows), (numbers & 3).astype(np.int8))

    @classmethod
    def joined(cls, batches: Sequence[ChangeBatch], schema: pa.Schema) -> ChangeBatch:
        """Returns the changes of batches as one; all of them, or none, have watermarks before their rows."""
        if len(batches) == 1:
            return batches[0]
        kinds = None if all(batch.kinds is None for batch in batches) else np.concatenate([batch.all_kinds for batch in batches])
        before = None if batches[0].before is None else np.concatenate([batch.watermarks(0) for batch in batches])
        return cls(rechunk([batch.rows for batch in batches], schema), kinds, before)

    @override
    def __repr__(self) -> str:
        return f"ChangeBatch({self.num_rows} rows)"
