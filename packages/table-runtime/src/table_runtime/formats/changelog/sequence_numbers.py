"""Numbers the changes of a source, so that their order can be restored after rows are regrouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import RowKind
from table_runtime.columns.batches import make_batch

_KINDS = len(RowKind)


def numbered_changes(batches: Iterable[pa.RecordBatch], schema: pa.Schema, first: int = 0) -> Iterator[pa.RecordBatch]:
    """Yields the batches with their last column, the row kinds, replaced by four times the position of the change plus its kind."""
    for batch in batches:
        positions = pa.arange(first, first + batch.num_rows)
        numbers = pc.add(pc.multiply(positions, _KINDS), batch.columns[-1].cast(pa.int64()))
        first += batch.num_rows
        yield make_batch([*batch.columns[:-1], numbers], schema, batch.num_rows)


def retracts(kinds: pa.Array) -> pa.Array:
    """Returns which row kinds retract a row: UPDATE_BEFORE and DELETE."""
    return pc.is_in(kinds, value_set=pa.array([RowKind.UPDATE_BEFORE.value, RowKind.DELETE.value], kinds.type))
