"""The files that the checkpoints of an attempt name, write and delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock, LockLostException
from table_runtime.streaming.checkpoints.manifest import SinkMessages
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state
from table_runtime.streaming.graph.graph import Edge, Node
from table_runtime.streaming.graph.state_copy import CopiedState
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.operators.drop_update_before import DropUpdateBefore
from table_runtime.streaming.state.snapshots import KEYS, Snapshot

At = Callable[[Any], Checkpoint]
SCHEMA = pa.schema([("k", pa.int64())])
MESSAGES = [SinkMessages(0, ()), SinkMessages(0, ())]


@pytest.fixture
def layout() -> JobLayout:
    """A job with one operator."""
    return JobLayout(["t#0"], ["op#0"], ["a#0", "b#0"], [Node(DropUpdateBefore(SCHEMA), 1, [Edge(None, 0)])], {}, {}, {})


def keys(*values: int) -> dict[int, dict[str, pa.RecordBatch]]:
    return {0: {KEYS: pa.record_batch({"k0": values})}}


def base(*values: int) -> CopiedState:
    return CopiedState([[Snapshot(keys(*values), is_whole=True)]])


def delta(*values: int) -> CopiedState:
    return CopiedState([[Snapshot(keys(*values), is_whole=False)]])


def decide(checkpoints: CheckpointStore, at: Checkpoint, epoch: int, state: CopiedState) -> tuple[StateFile, ...]:
    files = checkpoints.write_state(epoch, [state])
    checkpoints.decide(checkpoints.manifest(epoch, replace(at, watermarks=[(0, 0, 0)], files=files), MESSAGES))
    return checkpoints.files["op#0"]


def attempt(folder: JobFolder, layout: JobLayout, restore_point: RestorePoint) -> CheckpointStore:
    return CheckpointStore(folder, JobLock.acquire(folder.store, "copy", "run"), layout, "run-1", restore_point, retained=2)


def test_changes_are_written_before_the_files_of_the_epoch_before(checkpoints: CheckpointStore, checkpoint: At) -> None:
    assert not checkpoints.can_write_changes
    (first,) = decide(checkpoints, checkpoint(1), 0, base(1, 2))
    assert first.path.endswith("/0-run-0-base.arrow")
    newest, oldest = decide(checkpoints, checkpoint(2), 1, delta(2))
    assert (newest.is_base, newest.rows, oldest) == (False, 1, first)
    assert read_state(checkpoints.folder.store, newest).buckets[0][KEYS].to_pydict() == {"k0": [2]}
    assert decide(checkpoints, checkpoint(3), 2, CopiedState([[Snapshot({}, is_whole=False)]])) == (newest, oldest)
    assert [file.is_base for file in decide(checkpoints, checkpoint(4), 3, base(3))] == [True]


def test_files_of_an_epoch_that_was_not_decided_are_not_named(checkpoints: CheckpointStore, checkpoint: At) -> None:
    files = decide(checkpoints, checkpoint(1), 0, base(1))
    checkpoints.write_state(1, [delta(1)])
    assert checkpoints.files["op#0"] == files


def test_files_are_replaced_by_others_with_the_same_state(checkpoints: CheckpointStore, checkpoint: At) -> None:
    decide(checkpoints, checkpoint(1), 0, base(1))
    one = StateFile("states/op#0/one.arrow", True, 1, 1, 0)
    written = checkpoints.write_state(1, [delta(2)], lambda name, files: (one,) if (name, len(files)) == ("op#0", 1) else files)
    assert written["op#0"][1:] == (one,)


def test_the_next_attempt_goes_on_with_the_files_of_the_one_before(
    checkpoints: CheckpointStore, checkpoint: At, folder: JobFolder, layout: JobLayout
) -> None:
    files = decide(checkpoints, checkpoint(1), 0, base(1))
    following = attempt(folder, layout, RestorePoint(1, folder.latest(), folder.store))
    assert (following.next_epoch, following.can_write_changes, following.files["op#0"]) == (1, True, files)
    moved = attempt(folder, layout, RestorePoint(1, folder.latest(), folder.store, is_own=False))
    assert (moved.can_write_changes, moved.files) == (False, {})


def test_old_manifests_go_with_the_files_that_only_they_name(checkpoints: CheckpointStore, checkpoint: At) -> None:
    for epoch in range(4):
        decide(checkpoints, checkpoint(epoch), epoch, base(epoch))
        checkpoints.retain()
    store = checkpoints.folder.store
    assert checkpoints.folder.epochs() == [2, 3]
    assert sorted(store.names("states/op#0")) == ["2-run-0-base.arrow", "3-run-0-base.arrow"]


def test_who_has_lost_the_lock_writes_nothing(
    checkpoints: CheckpointStore, checkpoint: At, folder: JobFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = checkpoints.write_state(0, [base(1)])

    def lost(_: JobLock) -> None:
        raise LockLostException("another process")

    monkeypatch.setattr(JobLock, "check", lost)
    with pytest.raises(LockLostException):
        checkpoints.write_state(1, [base(1)])
    with pytest.raises(LockLostException):
        checkpoints.decide(checkpoints.manifest(0, replace(checkpoint(1), watermarks=[(0, 0, 0)], files=files), MESSAGES))
    assert folder.epochs() == []


def test_a_file_that_cannot_be_written_is_an_error(
    checkpoints: CheckpointStore, folder: JobFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise TableRuntimeException("No space left on device")

    monkeypatch.setattr(type(folder.store), "write", full)
    with pytest.raises(TableRuntimeException, match="No space left"):
        checkpoints.write_state(0, [base(1)])
