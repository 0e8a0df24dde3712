"""Requests to a job: its end, and savepoints, which wait for an epoch and outlive attempts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException
from table_common.job_state import JobState, JobStatus
from table_runtime.streaming.checkpoints.manifest import Manifest, SinkMessages
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.savepoints import SavepointRequest

At = Callable[[Any], Checkpoint]
MESSAGES = [SinkMessages(0, ()), SinkMessages(0, ())]


@pytest.fixture
def state() -> JobState:
    return JobState()


@pytest.fixture
def requests(checkpoints: CheckpointStore, state: JobState) -> JobRequests:
    requests = JobRequests("job-1", state)
    requests.has_checkpoints = True
    requests.folder = checkpoints.folder
    return requests


def path_of(request: SavepointRequest) -> Path:
    assert request.has_ended
    return Path(request.wait(lambda: True, lambda: None))


def test_a_job_without_checkpoints_has_no_savepoints() -> None:
    requests = JobRequests("job-1", JobState())
    with pytest.raises(TableException, match=r"Job job-1 has no savepoint: it has no checkpoints\.\n.*execution\.checkpointing\.dir"):
        requests.savepoint(None)
    assert requests.checkpoints() == ()


def test_the_end_is_told_to_whoever_runs_the_job() -> None:
    requests, told = JobRequests("job-1", JobState()), list[tuple[str, bool]]()
    requests.on_end(lambda drains: told.append(("first", drains)))
    assert (requests.is_ending, told) == (False, [])
    requests.end(drains=True)
    assert (requests.is_ending, told) == (True, [("first", True)])
    requests.on_end(lambda drains: told.append(("next attempt", drains)))
    assert told[1:] == [("next attempt", True)]


def test_savepoints_wait_until_an_epoch_gives_them(requests: JobRequests, checkpoints: CheckpointStore, checkpoint: At) -> None:
    first = requests.savepoint(None)
    asked = requests.pending()
    second = requests.savepoint(None)
    assert (list(asked), list(requests.pending())) == ([first], [first, second])  # an epoch that fails leaves them to the next
    manifest = checkpoints.manifest(4, checkpoint(1), MESSAGES)
    requests.answer(asked, manifest)
    assert path_of(first).name == "savepoint-copy-4-run-0"
    assert list(requests.pending()) == [second]


def test_the_last_savepoint_waits_for_the_last_epoch(requests: JobRequests) -> None:
    last = requests.savepoint(None, is_last=True)
    assert list(requests.pending()) == []
    other = requests.savepoint(None)
    assert set(requests.pending(is_last=True)) == {last, other}


def test_a_savepoint_has_its_own_folder_or_that_of_the_session(
    requests: JobRequests, checkpoints: CheckpointStore, checkpoint: At, tmp_path: Path
) -> None:
    manifest = checkpoints.manifest(0, checkpoint(1), MESSAGES)
    requests.savepoints = str(tmp_path / "all")
    asked = [requests.savepoint(None), requests.savepoint(str(tmp_path / "own"))]
    requests.answer(asked, manifest)
    assert [path_of(request).parent.name for request in asked] == ["all", "own"]


def test_checkpoints_are_described(requests: JobRequests, checkpoints: CheckpointStore, checkpoint: At) -> None:
    checkpoints.decide(checkpoints.manifest(0, checkpoint(1), MESSAGES))
    (described,) = requests.checkpoints()
    assert (described["epoch"], described["rows"], described["bytes"]) == (0, 0, 0)
    assert Path(described["path"]).is_file()


def answer_on_end(requests: JobRequests, state: JobState, manifest: Manifest, asked: list[bool]) -> None:
    """Lets the job end when it is asked to, after an epoch that gives all savepoints."""

    def end(drains: bool) -> None:
        asked.append(drains)
        requests.answer(requests.pending(is_last=True), manifest)
        state.end(JobStatus.FINISHED)

    requests.on_end(end)


def test_a_job_is_stopped_with_a_savepoint(requests: JobRequests, state: JobState, checkpoints: CheckpointStore, checkpoint: At) -> None:
    asked: list[bool] = []
    answer_on_end(requests, state, checkpoints.manifest(2, checkpoint(1), MESSAGES), asked)
    assert Path(requests.stop_with_savepoint(None, drains=True)).name == "savepoint-copy-2-run-0"
    assert asked == [True]


@pytest.mark.parametrize(
    ("status", "error", "raised"),
    [
        (JobStatus.FAILED, TableRuntimeException("division by zero"), TableRuntimeException),
        (JobStatus.CANCELED, None, JobCancelledException),
    ],
)
def test_nobody_waits_for_a_savepoint_of_a_job_that_has_ended(
    status: JobStatus, error: Exception | None, raised: type[Exception], requests: JobRequests, state: JobState
) -> None:
    state.end(status, error)
    with pytest.raises(raised, match="division by zero" if error else "ended before the savepoint was written"):
        requests.trigger_savepoint(None)
