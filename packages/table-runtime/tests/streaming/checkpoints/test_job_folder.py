from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.streaming.checkpoints.job_folder import JobFolder, UndecidedException, folder_name
from table_runtime.streaming.checkpoints.job_lock import LockLostException
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_files import StateFile


def manifest(folder: JobFolder, epoch: int, *files: str) -> Manifest:
    for path in files:
        folder.store.write(path, [b"x"])
    state = OperatorFiles(tuple(StateFile(path, True, 1, 1, 0) for path in files), ())
    return Manifest(folder.job, epoch, "run", 0, 0, {}, {"a#0": state}, {}, {})


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    return JobFolder.open(str(tmp_path), "a job", "arrow")


def test_the_id_of_a_job_lasts(folder: JobFolder, tmp_path: Path) -> None:
    assert JobFolder.open(str(tmp_path), "a job", "arrow").job_id == folder.job_id
    assert JobFolder.open(str(tmp_path), "b", "arrow").job_id != folder.job_id
    with pytest.raises(TableException, match="of the engine 'arrow', and not of 'a job' of 'spark'"):
        JobFolder.open(str(tmp_path), "a job", "spark")


def test_a_folder_with_epochs_and_without_the_id_of_the_job_is_refused(folder: JobFolder, tmp_path: Path) -> None:
    # Sinks would take the epochs of another id for new ones, and write the last one again.
    folder.decide(manifest(folder, 7))
    folder.store.delete("job.json")
    with pytest.raises(TableRuntimeException, match=r"has epochs up to 7 of the job 'a job', but the file 'job\.json' is missing"):
        JobFolder.open(str(tmp_path), "a job", "arrow")
    assert folder.store.read("job.json") is None


def test_names_of_jobs_are_names_of_folders() -> None:
    assert folder_name("insert-into_a.b,c") == "insert-into_a.b,c"
    assert "/" not in folder_name("../a/b")
    assert len(folder_name("ä" * 500)) <= 120
    assert {folder_name("."), folder_name(".."), folder_name("..a")} == {"%2E", "%2E%2E", "..a"}


def test_an_epoch_is_decided_once(folder: JobFolder) -> None:
    assert folder.latest() is None
    folder.decide(manifest(folder, 9))
    folder.decide(manifest(folder, 10))
    with pytest.raises(LockLostException, match="Another process has ended the epoch 10 of the job 'a job'"):
        folder.decide(manifest(folder, 10, "states/a/other"))
    latest = folder.latest()
    assert latest is not None
    assert latest.epoch == 10
    assert not folder.is_done(10)
    folder.set_done(10)
    assert folder.is_done(10)


def test_a_manifest_that_stands_is_decided_whatever_its_creation_said(folder: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    # The folder cannot be synchronized, or the answer of an object store is lost: what the sinks prepared must not be discarded.
    store, create = folder.store, folder.store.create

    def fails_late(path: str, content: bytes) -> bool:
        result = create(path, content)
        if path.startswith("epochs"):
            raise TableRuntimeException("no answer")
        return result

    monkeypatch.setattr(store, "create", fails_late)
    folder.decide(manifest(folder, 1))
    assert folder.epochs() == [1]
    monkeypatch.setattr(store, "create", lambda path, content: create(path, content) and False)  # the request was repeated
    folder.decide(manifest(folder, 2))
    with pytest.raises(LockLostException):
        folder.decide(manifest(folder, 2, "states/a/other"))

    def fails(*_: object) -> bool:
        raise TableRuntimeException("no answer")

    monkeypatch.setattr(store, "create", fails)
    with pytest.raises(TableRuntimeException, match="no answer") as raised:
        folder.decide(manifest(folder, 3))
    assert not isinstance(raised.value, UndecidedException)
    monkeypatch.setattr(store, "read", fails)
    with pytest.raises(UndecidedException, match="no answer"):
        folder.decide(manifest(folder, 3))


def test_numbers_of_epochs_whose_manifests_are_gone_are_not_used_again(folder: JobFolder) -> None:
    assert folder.next_epoch() == 0
    folder.decide(manifest(folder, 10))
    assert folder.next_epoch() == 11
    folder.set_done(11)
    assert folder.next_epoch() == 12
    folder.store.write("epochs/13.json.damaged", [b"{"])
    assert folder.next_epoch() == 14


def test_the_number_of_an_epoch_is_not_used_again_if_every_trace_but_its_note_is_gone(folder: JobFolder) -> None:
    for epoch in (3, 4):
        folder.decide(manifest(folder, epoch))
        folder.set_done(epoch)
    for path in ("epochs/3.json", "epochs/4.json", "done/3", "done/4"):
        folder.store.delete(path)
    folder.clean()
    assert folder.next_epoch() == 5
    assert folder.store.names("committing") == ["4"]


def test_notes_of_old_epochs_go(folder: JobFolder) -> None:
    for epoch in range(4):
        folder.decide(manifest(folder, epoch))
        folder.set_done(epoch)
    folder.store.delete("epochs/0.json")  # as a crash leaves it
    folder.clean()
    assert folder.store.names("committing") == folder.store.names("done") == ["1", "2", "3"]
    folder.retain(1, ())
    assert folder.store.names("committing") == folder.store.names("done") == ["3"]


def test_what_sinks_prepared_stays_if_only_the_note_of_the_number_fails(folder: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    create = folder.store.create

    def fails(path: str, content: bytes) -> bool:
        if path.startswith("committing"):
            raise TableRuntimeException("no space")
        return create(path, content)

    monkeypatch.setattr(folder.store, "create", fails)
    with pytest.raises(UndecidedException, match="no space"):
        folder.decide(manifest(folder, 1))
    assert folder.epochs() == [1]


def test_files_that_no_retained_manifest_names_go(folder: JobFolder) -> None:
    written: set[str] = set()
    for epoch in range(4):
        current = manifest(folder, epoch, "states/a/old", f"states/a/{epoch}")
        folder.decide(current)
        folder.set_done(epoch)
        written = folder.retain(2, {*written, *(file.path for file in current.files())})
    assert folder.epochs() == [2, 3]
    assert folder.store.names("states/a") == ["2", "3", "old"]
    assert folder.store.names("done") == ["2", "3"]


def test_files_of_runs_that_did_not_come_to_a_manifest_are_cleaned_up(folder: JobFolder) -> None:
    folder.decide(manifest(folder, 0, "states/a/0"))
    folder.store.write("states/a/1-killed-delta.arrow", [b"x"])
    folder.clean()
    assert folder.store.names("states/a") == ["0"]


def test_files_of_attempts_that_did_not_count_are_swept_once_their_epoch_is_decided(folder: JobFolder) -> None:
    folder.decide(manifest(folder, 3, "states/a#0/3-run-s0-11-delta.arrow", "states/a#0/2-run-s1-9-base.arrow"))
    others = {
        "states/a#0/3-run-s0-10-delta.arrow": True,  # another attempt of the same task
        "states/a#0/0-run-s0-1-base.arrow": True,  # an epoch that ran again
        "states/a#0/4-run-s0-13-delta.arrow": False,  # the next epoch, which runs
        "states/a#0/3-runner-s0-10-delta.arrow": False,  # of another run
        "states/a#0/x": False,
    }
    for path in others:
        folder.store.write(path, [b"x"])
    folder.sweep("run", 3)
    assert {path: folder.store.read(path) is None for path in others} == others
    assert all(folder.store.read(file.path) for file in folder.manifest(3).files())


def test_manifests_are_read_once_for_the_names_of_their_files(folder: JobFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = JobFolder.open(str(tmp_path), "a job", "arrow")
    for epoch in range(2):
        other.decide(manifest(other, epoch, f"states/a#0/{epoch}-run-base.arrow"))
    read: list[int] = []
    original = JobFolder.manifest
    monkeypatch.setattr(JobFolder, "manifest", lambda self, epoch: read.append(epoch) or original(self, epoch))  # type: ignore[func-returns-value]
    for epoch in range(2, 5):
        folder.decide(manifest(folder, epoch, f"states/a#0/{epoch}-run-base.arrow"))
        written = folder.retain(2, {f"states/a#0/{each}-run-base.arrow" for each in range(epoch + 1)})
        assert written == {f"states/a#0/{each}-run-base.arrow" for each in (epoch - 1, epoch)}
    assert read == [1]
