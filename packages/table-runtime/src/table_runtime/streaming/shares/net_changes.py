"""Net changes of an epoch: the rows of one key may come from several shares, whose changes have no order among each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import rechunk
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.key_slots import KeySlots

__all__ = ["net_changes"]


def net_changes(batches: Sequence[ChangeBatch], schema: pa.Schema) -> list[ChangeBatch]:
    """Returns changes without those that undo each other: first all rows that are retracted, then all that are added, each in their order.

    So a reader that keeps one row of each key never sees the new row of a key before the old one is retracted. Insertions alone, and changes with
    watermarks before each row, are returned as they are.
    """
    if all(batch.kinds is None for batch in batches) or any(batch.before is not None for batch in batches):
        return list(batches)
    rows = rechunk([batch.rows for batch in batches], schema)
    kinds = np.concatenate([np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds for batch in batches])
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


def _ranks(slots: Slots) -> Slots:
    """Returns how many of the places before have the same slot."""
    order = np.argsort(slots, kind="stable")
    ordered = slots[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])
    ranks = np.empty(len(ordered), np.int64)
    ranks[order] = np.arange(len(ordered)) - np.repeat(starts, lengths)
    return ranks
