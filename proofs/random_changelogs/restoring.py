"""Batch boundaries and restores for queries that run as users run them; snapshots through Arrow IPC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock
from weakref import WeakKeyDictionary

import pyarrow as pa

from table_runtime.streaming.graph import graph_run
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.state.snapshots import Snapshot

__all__ = ["cut", "through_ipc"]


@contextmanager
def cut(size: int | None, *, is_restored: bool = False) -> Iterator[None]:
    """Makes sources yield batches of ``size`` rows, and graphs save and restore all state after each: every third snapshot is full."""
    batches, push = graph_run.batches_of, GraphRun.push
    written: WeakKeyDictionary[GraphRun, list[Any]] = WeakKeyDictionary()

    def push_and_restore(run: GraphRun, edges: Any, batch: Any) -> None:
        push(run, edges, batch)
        snapshots = written.setdefault(run, [])
        if len(snapshots) == 3:
            snapshots.clear()
        snapshots.insert(0, [through_ipc(snapshot) for snapshot in run.snapshot(changes_only=bool(snapshots))])
        run.restore(snapshots)

    with (
        mock.patch.object(graph_run, "batches_of", lambda source, rows, context: batches(source, size, context)),
        mock.patch.object(GraphRun, "push", push_and_restore if is_restored else push),
    ):
        yield


def through_ipc(snapshot: Snapshot) -> Snapshot:
    """Writes the batches of each table of a snapshot as one Arrow IPC stream, and reads them back."""
    result: dict[int, dict[str, pa.RecordBatch]] = {bucket: {} for bucket in snapshot.buckets}
    for name in next(iter(snapshot.buckets.values()), {}):
        target = pa.BufferOutputStream()
        parts = [tables[name] for tables in snapshot.buckets.values()]
        with pa.ipc.new_stream(target, parts[0].schema) as writer:
            for part in parts:
                writer.write_batch(part)
        for bucket, batch in zip(snapshot.buckets, pa.ipc.open_stream(target.getvalue()), strict=True):
            result[bucket][name] = batch
    return snapshot._replace(buckets=result)
