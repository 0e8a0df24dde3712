"""The state of a share in files: which files it reads, also those of another number of shares, and which ones it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import make_batch
from table_runtime.streaming.checkpoints.file_store import FileStore
from table_runtime.streaming.checkpoints.state_files import StateFile, read_states, write_state
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.shares.exchange import share_of_bucket, share_of_buckets
from table_runtime.streaming.state.key_slots import buckets_of
from table_runtime.streaming.state.snapshots import BUCKETS, KEYS, Snapshot


def is_divided(files: Sequence[StateFile], shares: int) -> bool:
    """Whether files are those of this number of shares."""
    return all(file.of == shares for file in files)


def files_of_share(files: Sequence[StateFile], share: int, shares: int) -> Sequence[StateFile]:
    """Returns the files that may have state of a share: its own, or of another number of shares those that have buckets of it."""
    if is_divided(files, shares):
        return [file for file in files if file.share == share]
    own = {bucket for bucket in range(BUCKETS) if share_of_bucket(bucket, shares) == share}
    return [
        file
        for file in files
        if file.share is None
        or file.of is None
        or own & {bucket for bucket in range(BUCKETS) if share_of_bucket(bucket, file.of) == file.share}
    ]


def read_share(store: FileStore, files: Sequence[StateFile], state: OperatorState, share: int, shares: int) -> list[Snapshot]:
    """Returns the snapshots of a share for an operator, whose empty state is given, the newest first.

    Raises:
        TableRuntimeException: a file is missing or damaged.
    """
    snapshots = list(read_states(store, files_of_share(files, share, shares)))
    if not is_divided(files, shares):
        snapshots = [_part(snapshot, state, share, shares) for snapshot in snapshots]
    if not snapshots or not snapshots[-1].is_whole:
        snapshots.append(Snapshot({}, is_whole=True))
    return snapshots


def write_share(
    store: FileStore, folder: str, name: str, state: OperatorState, files: Sequence[StateFile], share: int, shares: int
) -> tuple[StateFile, ...]:
    """Writes what has changed in the state of a share, or all of it if the files with changes have more keys than the whole one; returns its files, the newest first.

    ``folder`` is that of the operator, ``name`` the beginning of the name of the file.
    """
    if share and not _bucket_columns(state):
        return ()  # the share 0 has all keys
    own = files_of_share(files, share, shares) if is_divided(files, shares) else ()
    changed = sum(file.rows for file in own if not file.is_base)
    is_whole = len(own) < len(files_of_share(files, share, shares)) or changed > sum(file.rows for file in own if file.is_base)
    snapshot = state.snapshot(changes_only=not is_whole)
    if snapshot.is_whole:
        own = ()
    if not snapshot.buckets:
        return tuple(own)
    path = f"{folder}/{name}-{'base' if snapshot.is_whole else 'delta'}.arrow"
    return (write_state(store, path, snapshot, share=(share, shares)), *own)


def _bucket_columns(state: OperatorState) -> Sequence[int]:
    if state.keys is None:
        return ()
    return range(len(state.keys.types)) if state.bucket_columns is None else state.bucket_columns


def _part(snapshot: Snapshot, state: OperatorState, share: int, shares: int) -> Snapshot:
    """Returns the keys of a snapshot that belong to a share: files of older formats may have them in other buckets."""
    keys = state.keys
    if keys is None:
        return Snapshot({}, is_whole=True)
    columns = _bucket_columns(state)
    if not columns:
        return snapshot if not share else snapshot._replace(buckets={})
    buckets = {}
    for bucket, tables in snapshot.buckets.items():
        written = tables[KEYS]
        numbers = buckets_of([written.column(column) for column in columns], written.num_rows, BUCKETS)
        kept = share_of_buckets(numbers, shares) == share
        if kept.any():
            buckets[bucket] = tables if kept.all() else _filtered(tables, kept)
    return snapshot._replace(buckets=buckets)


def _filtered(tables: Mapping[str, pa.RecordBatch], kept: np.ndarray) -> dict[str, pa.RecordBatch]:
    places = np.cumsum(kept) - 1
    result = {}
    for name, table in tables.items():
        if name == KEYS:
            result[name] = table.filter(pa.array(kept))
            continue
        at = table.column(0).to_numpy()
        rows = np.flatnonzero(kept[at])
        taken = table.take(pa.array(rows))
        result[name] = make_batch([pa.array(places[at[rows]]), *taken.columns[1:]], table.schema, len(rows))
    return result
