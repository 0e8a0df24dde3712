"""Net changes of an epoch: the rows of one key may come from several tasks, whose changes have no order among each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.key_slots import KeySlots


def merged_changes(parts: Sequence[Sequence[ChangeBatch]], schema: pa.Schema, key: Sequence[int]) -> Sequence[ChangeBatch]:
    """Returns the net changes of several tasks; with a ``key`` a row replaces the one with its key, else each row that goes is retracted."""
    return last_changes(parts, schema, key) if key else net_changes([batch for part in parts for batch in part], schema)


def net_changes(batches: Sequence[ChangeBatch], schema: pa.Schema) -> list[ChangeBatch]:
    """Returns changes without those that undo each other: first all rows that are retracted, then all that are added, each in their order.

    So a reader that keeps one row of each key never sees the new row of a key before the old one is retracted. Insertions alone, and changes with
    watermarks before each row, are returned as they are. Each row that goes must be retracted: see ``last_changes``.
    """
    if all(batch.kinds is None for batch in batches) or any(batch.before is not None for batch in batches):
        return list(batches)
    joined = ChangeBatch.joined(batches, schema)
    rows, kinds = joined.rows, joined.all_kinds
    retracts = (kinds & 1).astype(bool)
    slots = KeySlots([field.type for field in schema], tells_zeros_apart=True).find_or_insert(rows.columns, rows.num_rows)
    count = int(slots.max(initial=-1)) + 1
    retracted = np.bincount(slots[retracts], minlength=count)
    added = np.bincount(slots[~retracts], minlength=count)
    result = []
    for chosen, undone in ((retracts, added), (~retracts, retracted)):
        at = np.flatnonzero(chosen)
        kept = at[_ranks(slots[at]) >= undone[slots[at]]]
        if len(kept):
            result.append(ChangeBatch(rows.take(pa.array(kept)), kinds[kept]))
    return result


def last_changes(parts: Sequence[Sequence[ChangeBatch]], schema: pa.Schema, key: Sequence[int]) -> list[ChangeBatch]:
    """Returns the last change of each key, where a row replaces the one with its key, which need not be retracted before. ``parts`` are the changes of each task.

    If one task has deleted a row, and another one has a row with its key, this one stands, whichever comes first. Insertions alone, and changes with watermarks before
    each row, are returned as they are.
    """
    batches = [batch for part in parts for batch in part]
    if all(batch.kinds is None for batch in batches) or any(batch.before is not None for batch in batches):
        return batches
    joined = ChangeBatch.joined(batches, schema)
    rows, kinds = joined.rows, joined.all_kinds
    columns = [rows.column(column) for column in key]
    slots = (
        KeySlots([column.type for column in columns]).find_or_insert(columns, rows.num_rows)
        if columns
        else np.zeros(rows.num_rows, np.int64)
    )
    origins = np.repeat(np.arange(len(parts)), [sum(batch.num_rows for batch in part) for part in parts])
    last = _last_of_each(slots * len(parts) + origins)
    adds = (kinds[last] & 1) == 0
    # Deletions first, so that an addition of another task is the last change of its key.
    ordered = np.r_[last[~adds], last[adds]]
    kept = np.sort(ordered[_last_of_each(slots[ordered])])
    return [ChangeBatch(rows.take(pa.array(kept)), kinds[kept])]


def _last_of_each(numbers: Slots) -> Slots:
    """Returns the last place of each number."""
    _, places = np.unique(numbers[::-1], return_index=True)
    return np.sort(len(numbers) - 1 - places)


def _ranks(slots: Slots) -> Slots:
    """Returns how many of the places before have the same slot."""
    order = np.argsort(slots, kind="stable")
    ordered = slots[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])
    ranks = np.empty(len(ordered), np.int64)
    ranks[order] = np.arange(len(ordered)) - np.repeat(starts, lengths)
    return ranks
