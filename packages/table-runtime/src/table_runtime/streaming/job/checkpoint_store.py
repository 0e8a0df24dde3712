"""The checkpoints of one attempt of a job: its manifests, and the files of state that they name."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles, SinkMessages
from table_runtime.streaming.checkpoints.state_files import StateFile, write_state
from table_runtime.streaming.graph.state_copy import CopiedState
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.recovery import RestorePoint

Files = tuple[StateFile, ...]
"""The files of state of an operator, the newest first."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a job has come at the end of an epoch: what its manifest says besides the messages of sinks."""

    positions: Sequence[Mapping[str, Any]]
    """The offset at which each source resumes."""
    watermarks: Sequence[tuple[int, ...]]
    """The watermarks of each operator: of its output and its inputs."""
    counters: Mapping[str, Mapping[str, int]]
    """What each source and operator has counted, by their names."""
    processing_time: int
    files: Mapping[str, Files]
    """The state of each operator, by their names."""
    began: float
    """When the checkpoint began, of the monotonic clock."""


class CheckpointStore:
    """Writes the checkpoints of one attempt into the folder of its job, for the owner of the lock.

    ``run`` is the name of the attempt in the paths of its files; ``retained`` is how many manifests stay.
    """

    def __init__(
        self, folder: JobFolder, lock: JobLock, layout: JobLayout, run: str, restore_point: RestorePoint, *, retained: int
    ) -> None:
        self.folder = folder
        self.layout = layout
        self.run = run
        self.next_epoch = restore_point.epoch
        """The number of the next epoch."""
        before = restore_point.manifest if restore_point.can_name_files else None
        self.files: Mapping[str, Files] = (
            {name: before.states[name].files for name in layout.operators if name in before.states} if before is not None else {}
        )
        """The files of the last epoch that was decided, by operators."""
        self.can_write_changes = before is not None and all(file.share is None for files in self.files.values() for file in files)
        """Whether the first epoch of one process can name the files of state before it, so that it needs only what has changed: changes of all keys do not follow files by share."""
        self._lock = lock
        self._retained = retained
        self._written = {file.path for epoch in folder.epochs() for file in folder.manifest(epoch).files()}

    def write_state(
        self, epoch: int, states: Sequence[CopiedState], replaced: Callable[[str, Files], Files] = lambda _, files: files
    ) -> Mapping[str, Files]:
        """Writes the state of all operators as files of an epoch; returns those that its manifest names.

        ``replaced`` is called with the name and the files of each operator as they were, and returns them or others with the same state.

        Raises:
            LockLostException: another process has taken the job over.
            TableRuntimeException: a file cannot be written.
        """
        self._lock.check()
        result: dict[str, Files] = {}
        for name, state in zip(self.layout.operators, states, strict=True):
            files = replaced(name, self.files.get(name, ()))
            for number, snapshot in enumerate(state.snapshots()):
                if snapshot.is_whole:
                    files = ()
                if snapshot.buckets:
                    kind = "base" if snapshot.is_whole else f"delta{number or ''}"
                    path = self.folder.state_path(name, epoch, self.run, kind)
                    files = (write_state(self.folder.store, path, snapshot), *files)
            result[name] = files
        return result

    def manifest(self, epoch: int, checkpoint: Checkpoint, messages: Sequence[SinkMessages]) -> Manifest:
        """Returns the manifest of an epoch; ``messages`` are those of each sink."""
        layout = self.layout
        return Manifest(
            self.folder.job,
            epoch,
            self.run,
            int(time.time() * 1000),
            checkpoint.processing_time,
            dict(zip(layout.sources, checkpoint.positions, strict=True)),
            {
                name: OperatorFiles(
                    checkpoint.files[name], marks, layout.signatures.get(name), str(node.operator), layout.operator_ids.get(name)
                )
                for name, node, marks in zip(layout.operators, layout.nodes, checkpoint.watermarks, strict=True)
            },
            dict(zip(layout.sinks, messages, strict=True)),
            checkpoint.counters,
            int(1000 * (time.monotonic() - checkpoint.began)),
            layout.scans,
        )

    def decide(self, manifest: Manifest) -> None:
        """Creates the manifest of an epoch.

        Raises:
            LockLostException: another process has taken the job over, or has decided the epoch.
            UndecidedException: it is not known whether the manifest exists.
            TableRuntimeException: it cannot be created.
        """
        self._lock.check()
        self.folder.decide(manifest)
        self.files = {name: state.files for name, state in manifest.states.items()}
        self._written.update(file.path for file in manifest.files())

    def retain(self) -> None:
        """Deletes manifests that are not needed any more, and the files that no other one names."""
        self._written = self.folder.retain(self._retained, self._written)
