"""How the rows of an operator's input are divided among the shares of a job: by the columns that all state of a row is found by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

import pyarrow as pa

from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import cast_array, cast_to_schema


class Division(Enum):
    """Rows that are not divided by columns."""

    GLOBAL = "global"
    """All rows belong together."""


GLOBAL = Division.GLOBAL

ExchangeKeys = Callable[[pa.RecordBatch], Sequence[pa.Array]] | Division | None
"""A function that returns the columns by which rows are divided: equal ones belong together. None: each row may be processed anywhere."""

OutputDivision = tuple[int, ...] | Division | None
"""By which columns rows are divided, as ``KeyColumns`` divides them: their positions. None: that is not known."""


@dataclass(frozen=True, slots=True)
class KeyColumns:
    """Some columns of the rows as they are."""

    positions: tuple[int, ...]

    def __call__(self, rows: pa.RecordBatch) -> Sequence[pa.Array]:
        """Returns the columns of some rows."""
        return [rows.column(position) for position in self.positions]


@dataclass(frozen=True, slots=True)
class CastKeys:
    """Columns that a function computes, in the types of the keys of the state."""

    compute: Callable[[pa.RecordBatch], Sequence[pa.Array]]
    types: tuple[pa.DataType, ...]

    def __call__(self, rows: pa.RecordBatch) -> Sequence[pa.Array]:
        """Returns the columns of some rows."""
        return [cast_array(column, type_) for column, type_ in zip(self.compute(rows), self.types, strict=True)]


@dataclass(frozen=True, slots=True)
class RowKeys:
    """All columns, in the types of the state."""

    schema: pa.Schema

    def __call__(self, rows: pa.RecordBatch) -> Sequence[pa.Array]:
        """Returns the columns of some rows."""
        return list(cast_to_schema(rows, self.schema).columns)


def division_by(positions: Sequence[int]) -> KeyColumns | Division:
    """Returns the division by some columns; without columns all rows belong together."""
    return KeyColumns(tuple(positions)) if positions else GLOBAL
