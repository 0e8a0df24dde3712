"""Makes one file of a base and its deltas, bucket by bucket, while the job runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

import pyarrow as pa

from table_common.exceptions import TableError
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.state.snapshots import BUCKETS, Snapshot

_SHARE = 0.5
"""Deltas with more rows than this share of the base are made a part of it."""
_FEW = 4096
"""Deltas with fewer rows are left alone until they are many files."""
_MOST_FILES = 16
"""More files than this are made one, however few rows they have."""


class Compaction:
    """Replaces the files of one operator at a time; used by the writer's thread, works on its own. ``nodes`` are the operators by their names."""

    def __init__(self, folder: JobFolder, run: str, nodes: Mapping[str, Node], context: ExecutionContext) -> None:
        self._folder = folder
        self._run = run
        self._nodes = nodes
        self._context = context
        self._thread: threading.Thread | None = None
        self._result: tuple[str, Sequence[StateFile], StateFile | None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether files are being made one."""
        return self._thread is not None and self._thread.is_alive()

    def consider(self, manifest: Manifest) -> None:
        """Begins to replace the files of an operator in an existing manifest, if they are many."""
        if self.is_busy or self._result is not None:
            return
        for name, state in manifest.states.items():
            files = state.files
            base = files[-1].rows if files and files[-1].is_base else 0
            deltas = sum(file.rows for file in files) - base
            if len(files) > 1 and (deltas > max(_FEW, _SHARE * base) or len(files) > _MOST_FILES):
                self._start(name, files, manifest)
                return

    def replaced(self, name: str, files: tuple[StateFile, ...]) -> tuple[StateFile, ...]:
        """Returns the files of an operator, those that were made one replaced by it."""
        if self._result is None or self._result[0] != name:
            return files
        _, old, new = self._result
        self._result = None
        paths = [file.path for file in old]
        if [file.path for file in files[len(files) - len(old) :]] != paths:  # a new base made them superfluous
            if new is not None:
                self._folder.store.delete(new.path)
            return files
        return (*files[: len(files) - len(old)], *([new] if new is not None else []))

    def _start(self, name: str, files: Sequence[StateFile], manifest: Manifest) -> None:
        def run() -> None:
            try:
                self._result = name, files, self._compacted(name, files, manifest)
            except TableError as error:
                if not self._context.token.is_cancelled:
                    logging.getLogger("table.job").warning("The files of state of %s were not made one: %s", name, error)

        self._thread = threading.Thread(target=run, name="table-compaction", daemon=True)
        self._thread.start()

    def _compacted(self, name: str, files: Sequence[StateFile], manifest: Manifest) -> StateFile | None:
        node = self._nodes[name]
        snapshots = [read_state(self._folder.store, file) for file in files]
        buckets = sorted({bucket for snapshot in snapshots for bucket in snapshot.buckets})
        result: dict[int, Mapping[str, pa.RecordBatch]] = {}
        for bucket in buckets:
            self._context.token.check()
            parts = [
                Snapshot({bucket: snapshot.buckets[bucket]} if bucket in snapshot.buckets else {}, snapshot.is_whole)
                for snapshot in snapshots
            ]
            result.update(_one(node, manifest.processing_time, parts, self._context).buckets)
        path = self._folder.state_path(name, manifest.epoch, self._run, "compacted")
        return write_state(self._folder.store, path, Snapshot(result, is_whole=True)) if result else None


def _one(node: Node, now: int, snapshots: Sequence[Snapshot], context: ExecutionContext) -> Snapshot:
    """Returns what several snapshots, the newest first, say together."""
    state = node.operator.create_state(context)
    state.set_time(now, node.retentions)
    state.restore(snapshots)
    snapshot: Snapshot = state.snapshot(bucket_count=BUCKETS)
    return snapshot
