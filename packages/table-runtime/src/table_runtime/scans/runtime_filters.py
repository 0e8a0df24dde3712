"""Runtime filters within a plan: a join whose build side is complete gives its keys to scans below its probe side."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import take_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.key_filter import KeyFilter


@dataclass(frozen=True, eq=False)
class FilterSlot:
    """The place of one runtime filter in a plan: a join writes its keys there in each run, and scans read them."""

    number: int
    name: str
    """The key column of the join, for plans."""

    def put(self, context: ExecutionContext, keys: KeyFilter | None) -> None:
        """Gives the keys to the scans of this run that have not started yet."""
        context.shared(id(self), lambda: keys)

    def get(self, context: ExecutionContext) -> KeyFilter | None:
        """Returns the keys of this run; None if the join has given none before."""
        found: KeyFilter | None = context.shared(id(self), lambda: None)
        return found


@dataclass(frozen=True, eq=False)
class AppliedFilter:
    """A runtime filter on a column of a scan, by position."""

    slot: FilterSlot
    column: int


def found_filters(applied: Sequence[AppliedFilter], context: ExecutionContext) -> list[tuple[int, KeyFilter]]:
    """Returns the columns and keys of the filters that have keys in this run."""
    return [(one.column, keys) for one in applied if (keys := one.slot.get(context)) is not None]


def keep_matching(batch: pa.RecordBatch, filters: Sequence[tuple[int, KeyFilter]]) -> pa.RecordBatch:
    """Returns the rows that may have partners; filters that drop few rows are left out after a while.

    The rows are copied once: a filter after the first looks at the rows that are left. The filter that keeps the smallest share of rows is the first.
    """
    rows: pa.Array | None = None
    for column, keys in sorted(filters, key=lambda one: one[1].expected_share):
        if not keys.is_useful:
            continue
        values = batch.column(column) if rows is None else pc.take(batch.column(column), rows, boundscheck=False)
        mask = keys.mask(_as_key(values, keys))
        rows = pc.indices_nonzero(mask) if rows is None else pc.filter(rows, mask)
    if rows is None or len(rows) == batch.num_rows:
        return batch
    return take_batch(batch, rows) if batch.num_columns else batch


def _as_key(column: pa.Array, keys: KeyFilter) -> pa.Array:
    """Returns the column in the type of the keys, to which the join widens it."""
    return column if column.type == keys.type else pc.cast(column, keys.type)


def applied_text(applied: Sequence[AppliedFilter], names: Sequence[str]) -> str:
    """Returns the description of a scan's runtime filters in plans."""
    return f", runtimeFilters=[{', '.join(f'{names[one.column]} in #{one.slot.number}' for one in applied)}]" if applied else ""
