from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_common.exceptions import TableException
from table_runtime.files.owners import this_process
from table_runtime.streaming.checkpoints import job_lock
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.job_lock import JobLock, LockLostException, owner_of


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_lock, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(job_lock, "STALE_SECONDS", 0.3)


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return open_store(str(tmp_path))


@pytest.fixture
def lock(store: FileStore) -> Iterator[JobLock]:
    lock = JobLock.acquire(store, "job", "first")
    yield lock
    lock.release()


def test_a_live_owner_keeps_others_out(store: FileStore, lock: JobLock) -> None:
    with pytest.raises(TableException, match=r"The job 'job' is run by the process \d+ on .* \(run first\), and a job runs once"):
        JobLock.acquire(store, "job", "second")
    lock.check()
    owner = owner_of(store)
    assert owner is not None
    assert owner[0]["run"] == "first"
    assert owner[1]


def test_a_released_lock_is_free_at_once(store: FileStore, lock: JobLock) -> None:
    lock.release()
    began = time.monotonic()
    JobLock.acquire(store, "job", "second").release()
    assert time.monotonic() - began < 2  # milliseconds on an idle machine
    with pytest.raises(LockLostException):
        lock.check()


def test_the_next_owner_waits_for_one_that_was_asked_to_end(store: FileStore) -> None:
    asked: list[bool] = []
    first = JobLock.acquire(store, "job", "first", is_ending=lambda: bool(asked))
    asked.append(True)
    timer = threading.Timer(0.5, first.release)  # longer than several heartbeats
    timer.start()
    JobLock.acquire(store, "job", "second").release()
    timer.join()
    with pytest.raises(LockLostException):
        first.check()


def test_an_owner_that_does_not_end_is_waited_for_a_limited_time(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_lock, "ENDING_SECONDS", 0.3)
    first = JobLock.acquire(store, "job", "first", is_ending=lambda: True)
    with pytest.raises(TableException, match=r"The job 'job' was asked to end in the process .* and has not ended for 0\.3 s"):
        JobLock.acquire(store, "job", "second")
    first.check()
    first.release()


def test_the_lock_of_a_dead_process_is_free_at_once(store: FileStore) -> None:
    store.create("locks/4.json", json.dumps({**this_process(), "start": "0", "run": "killed"}).encode())
    JobLock.acquire(store, "job", "second").release()
    assert "5.json" in store.names("locks")


def test_an_owner_without_a_sign_of_life_is_fenced_off(store: FileStore) -> None:
    store.create("locks/0.json", json.dumps({"host": "elsewhere", "pid": 1, "run": "silent"}).encode())
    began = time.monotonic()
    second = JobLock.acquire(store, "job", "second")
    assert time.monotonic() - began >= 0.3
    third = JobLock(store, 0, {}, "job")
    with pytest.raises(LockLostException, match="The job 'job' is run by the process"):
        third.check()
    third.release()
    second.check()
    second.release()


def test_the_wait_for_a_sign_of_life_can_be_ended(store: FileStore) -> None:
    store.create("locks/0.json", json.dumps({"host": "elsewhere", "pid": 1}).encode())

    def check() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        JobLock.acquire(store, "job", "second", check)


def test_a_folder_that_is_removed_while_the_job_runs_is_an_error_of_its_own(store: FileStore, lock: JobLock) -> None:
    store.delete("locks")
    with pytest.raises(LockLostException, match="of the job 'job' was emptied or removed while the job ran") as raised:
        lock.check()
    assert "starts over" in (raised.value.hint or "")


def test_other_files_beside_the_locks_do_not_matter(store: FileStore, lock: JobLock) -> None:
    store.create("locks/notes.json", b"")
    lock.check()


def test_a_clock_that_jumps_does_not_take_the_lock_from_a_live_owner(
    store: FileStore, lock: JobLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    while "0.heartbeat" not in store.names("locks"):
        time.sleep(0.001)
    monkeypatch.setattr(job_lock.time, "time", lambda: now + 3600)
    with pytest.raises(TableException, match="a job runs once"):
        JobLock.acquire(store, "job", "second")
    lock.check()
