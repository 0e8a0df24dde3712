"""Where a job with checkpoints begins: its lock, its last epoch, and the state after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass
from table_common.gate import Gate
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.checksums import FORMAT
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.job_folder import JobFolder, epochs_in, folder_name, is_done, read_manifest
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_compatibility import Upgrade, Verdict
from table_runtime.streaming.checkpoints.state_files import read_states
from table_runtime.streaming.checkpoints.stored_state import SAVEPOINT
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.sink_epochs import SinkEpochs
from table_runtime.streaming.job.state_conversion import converted
from table_runtime.streaming.job.upgrade_check import checked_upgrade, positions_of
from table_runtime.streaming.state.snapshots import Snapshot


class RecoveryMode(Enum):
    """What is done with the checkpoints that a job has."""

    RESUME = "RESUME"
    FRESH = "FRESH"
    REFUSE = "REFUSE"


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """The epoch with which a run begins, and the manifest after which it continues; None: from the beginning. ``store`` has the files of the manifest."""

    epoch: int
    manifest: Manifest | None
    store: FileStore
    is_own: bool = True
    """Whether the files are those of the job's own folder."""
    upgrade: Upgrade = Upgrade(())
    """What the operators use of the state."""

    def positions(self, layout: JobLayout) -> Sequence[Mapping[str, Any]]:
        """Returns where each source begins."""
        if self.manifest is None:
            return [{} for _ in layout.sources]
        before = positions_of(self.manifest, layout)
        return [self.manifest.sources.get(before.get(name, ""), {}) for name in layout.sources]

    def counters(self, layout: JobLayout) -> Sequence[Mapping[str, int]]:
        """Returns what each source has counted."""
        if self.manifest is None:
            return [{} for _ in layout.sources]
        before = positions_of(self.manifest, layout)
        return [self.manifest.counters.get(before.get(name, ""), {}) for name in layout.sources]

    @property
    def can_name_files(self) -> bool:
        """Whether new manifests may name the files of this one: they are in the job's own folder, of the present format, and used as they are."""
        is_present = self.manifest is None or self.manifest.format == FORMAT
        return self.is_own and is_present and not self.upgrade.converts and not self.upgrade.renames

    def stored(self, name: str) -> OperatorFiles | None:
        """Returns what the manifest has of the operator of this name in the present statement; None: nothing that it uses."""
        claim = self.upgrade.old_name(name)
        return self.manifest.states.get(claim.old) if self.manifest is not None and claim is not None and claim.old is not None else None

    def state(self, layout: JobLayout, context: ExecutionContext) -> Sequence[Sequence[Snapshot]]:
        """Returns the state of the operators as ``GraphRun.restore`` takes it; none at the beginning.

        Raises:
            TableRuntimeException: a file is missing or damaged.
        """
        if self.manifest is None:
            return ()
        columns: list[list[Snapshot]] = []
        for name, node in zip(layout.operators, layout.nodes, strict=True):
            claim = self.upgrade.old_name(name)
            old = claim.old if claim is not None else None
            state = self.stored(name)
            snapshots = list(read_states(self.store, state.files)) if state is not None else []
            if claim is not None and claim.verdict is Verdict.COMPATIBLE:
                snapshots = converted(snapshots, claim, node, context)
            if not snapshots or not snapshots[-1].is_whole:
                snapshots.append(Snapshot({}, is_whole=True))
            watermarks = state.watermarks if state is not None and len(state.watermarks) == node.inputs + 2 else ()
            snapshots[0] = snapshots[0]._replace(watermarks=watermarks, counters=self.manifest.counters.get(old or "", {}))
            columns.append(snapshots)
        longest = max(map(len, columns), default=1)
        return [[column[row] if row < len(column) else Snapshot({}, is_whole=True) for column in columns] for row in range(longest)]


def find_restore_point(
    folder: JobFolder,
    mode: RecoveryMode,
    path: str | None,
    sinks: Mapping[str, Callable[[], SinkEpochs]],
    layout: JobLayout,
    *,
    ignores_unclaimed: bool = False,
) -> RestorePoint:
    """Returns where a job begins; commits its last epoch again if it is not known to be committed. ``sinks`` are those of the job by their names.

    For the owner of the lock.

    Raises:
        TableException: the mode refuses to resume, or the last epoch cannot be committed, or the epoch at ``path`` is not committed.
        TableRuntimeException: a file is missing or damaged.
    """
    last = folder.latest()
    epoch = folder.next_epoch()
    if last is not None and not folder.is_done(last.epoch):
        folder.set_committing(last.epoch)
        _commit_again(folder, last, sinks)
    folder.clean()
    if last is not None:
        if mode is RecoveryMode.REFUSE:
            raise TableException(
                f"The job '{folder.job}' has checkpoints, the last one of epoch {last.epoch}, and 'execution.state-recovery.mode' is REFUSE.",
                hint="RESUME continues after it, FRESH starts over; or give this job another 'pipeline.name'.",
            )
        if mode is RecoveryMode.FRESH:
            return RestorePoint(epoch, None, folder.store)
        return RestorePoint(epoch, last, folder.store, upgrade=checked_upgrade(last, layout, ignores_unclaimed=ignores_unclaimed))
    if path is not None and mode is not RecoveryMode.FRESH:
        store, manifest = find_manifest(path)
        _require_committed(store, manifest, path)
        upgrade = checked_upgrade(manifest, layout, ignores_unclaimed=ignores_unclaimed)
        return RestorePoint(max(epoch, manifest.epoch + 1), manifest, store, is_own=False, upgrade=upgrade)
    return RestorePoint(epoch, None, folder.store)


def find_manifest(path: str) -> tuple[FileStore, Manifest]:
    """Returns the manifest of a savepoint, or the last one of a job's checkpoint folder, and the files it names.

    Raises:
        TableException: there is neither.
        TableRuntimeException: the manifest is damaged.
    """
    store = open_store(Gate.location_of_program(path))
    if store.read(SAVEPOINT) is not None:
        return store, read_manifest(store, SAVEPOINT)
    epochs = epochs_in(store)
    if not epochs:
        raise TableException(
            f"There is no savepoint and no checkpoint at '{path}'.",
            hint="'execution.state-recovery.path' is the folder that a savepoint returned, or the folder of a job: <execution.checkpointing.dir>/<pipeline.name>.",
        )
    return store, read_manifest(store, f"epochs/{epochs[-1]}.json")


def find_existing(directory: str | None, job: str, path: str | None) -> Manifest | None:
    """Returns the manifest after which a job would continue; changes nothing."""
    if directory is not None:
        store = open_store(Gate.location_of_program(f"{directory.rstrip('/')}/{folder_name(job)}"))
        epochs = epochs_in(store)
        if epochs:
            return read_manifest(store, f"epochs/{epochs[-1]}.json")
    return find_manifest(path)[1] if path is not None else None


def _require_committed(store: FileStore, manifest: Manifest, path: str) -> None:
    """Raises an error if rows of the epoch may be missing in the sinks: only the job that wrote them can commit them."""
    is_savepoint = store.read(SAVEPOINT) is not None
    if is_savepoint or is_done(store, manifest.epoch) or not any(sink.messages for sink in manifest.sinks.values()):
        return
    raise TableException(
        f"The epoch {manifest.epoch} of the job '{manifest.job}' in '{path}' may not be committed yet, so a job that begins after it would leave its rows out.",
        hint=f"Run the job '{manifest.job}' once more, which commits them; or begin with a savepoint.",
    )


def _commit_again(folder: JobFolder, last: Manifest, sinks: Mapping[str, Callable[[], SinkEpochs]]) -> None:
    for name, sink in last.sinks.items():
        if not sink.messages:
            continue
        if name not in sinks:
            raise TableException(
                f"The epoch {last.epoch} of the job '{folder.job}' has {sink.rows} rows for the sink {name} that may not be committed yet, and the statement "
                "does not write to it any more.",
                hint="Run the former statement once more, which commits them; then the new one.",
            )
        sinks[name]().commit(last.epoch, sink.messages)
    folder.set_done(last.epoch)
