"""Attempts of a job on an engine that the test plays: where each begins, what it counts, and when the next one starts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from table_common.configuration import Configuration
from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException
from table_common.job_state import JobState
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.job_lock import owner_of
from table_runtime.streaming.checkpoints.manifest import SinkMessages
from table_runtime.streaming.job.attempts import Attempt, AttemptDriver, Attempts
from table_runtime.streaming.job.checkpoint_store import Checkpoint
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.restarts import Restarts
from table_runtime.streaming.job.sink_epochs import SinkEpochs

At = Callable[[Any], Checkpoint]


class Sink(ArrowSinkProvider, SinkCommitter):
    """Notes what is committed; fails as often as ``failures`` says."""

    def __init__(self) -> None:
        self.committed: list[str] = []
        self.failures = 0

    def create_writer(self, context: WriterContext) -> SinkWriter:
        raise NotImplementedError

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return self

    def commit(self, messages: Sequence[Any]) -> None:
        if self.failures:
            self.failures -= 1
            raise ConnectionResetError("the sink is away")
        self.committed += messages

    def abort(self, messages: Sequence[Any]) -> None: ...


class Driver(AttemptDriver):
    """Runs a function per attempt."""

    def __init__(self, context: ExecutionContext, *runs: Callable[[Attempt], None]) -> None:
        self.context = context
        self.runs = list(runs)
        self.sink = Sink()
        self.begun: list[int] = []
        self.restarts = 0
        self.may_write = False

    def create_sink(self, number: int, job_id: str) -> SinkEpochs:
        return SinkEpochs(self.sink, f"t{number}", f"{job_id}-{number}", self.context)

    def run(self, attempt: Attempt) -> None:
        self.begun.append(attempt.checkpoints.next_epoch)
        self.runs.pop(0)(attempt)

    def restarting(self) -> None:
        self.restarts += 1

    @property
    def is_writing(self) -> bool:
        return self.may_write

    def when_written(self, callback: Callable[[], None]) -> None:
        callback()


@pytest.fixture
def context() -> ExecutionContext:
    return ExecutionContext()


@pytest.fixture
def requests() -> JobRequests:
    return JobRequests("job-1", JobState())


@pytest.fixture
def attempts(layout: JobLayout, requests: JobRequests, context: ExecutionContext) -> Callable[..., Attempts]:
    def make(**options: str) -> Attempts:
        values = {
            "restart-strategy.exponential-delay.initial-backoff": "1 ms",
            **{name.replace("_", "."): value for name, value in options.items()},
        }
        configuration = Configuration(values)
        return Attempts("copy", "other", layout, Checkpointing.of(configuration), Restarts(configuration), requests, context)

    return make


def epoch(attempt: Attempt, at: Checkpoint, *rows: int) -> Epoch:
    """Runs an epoch with rows for each sink."""
    result = Epoch.next_of(attempt.checkpoints, attempt.sinks)
    messages = [SinkMessages(count, (f"epoch {result.number}",) if count else ()) for count in rows]
    result.complete(messages, at)
    attempt.committed(result.manifest)
    return result


def away(_: Attempt) -> None:
    raise ConnectionResetError("the source is away")


def test_rows_of_epochs_are_counted_and_the_lock_is_released(
    attempts: Callable[..., Attempts], context: ExecutionContext, checkpoint: At, tmp_path: Path
) -> None:
    def run(attempt: Attempt) -> None:
        assert attempt.begins_anew
        assert attempt.restore_point.positions(attempt.checkpoints.layout) == [{}]
        epoch(attempt, checkpoint(1), 2, 1)
        epoch(attempt, checkpoint(2), 3, 0)

    job, driver = attempts(), Driver(context, run)
    job.run(driver, str(tmp_path))
    assert (job.rows, driver.sink.committed) == ([5, 1], ["epoch 0", "epoch 0", "epoch 1"])
    owner = owner_of(open_store(str(tmp_path / "copy")))
    assert owner is None or owner[0]["released"]


def test_an_attempt_begins_behind_the_last_epoch_of_the_one_before(
    attempts: Callable[..., Attempts], context: ExecutionContext, checkpoint: At, tmp_path: Path
) -> None:
    def first(attempt: Attempt) -> None:
        epoch(attempt, checkpoint(7), 2, 1)
        away(attempt)

    def second(attempt: Attempt) -> None:
        assert not attempt.begins_anew
        assert attempt.restore_point.positions(attempt.checkpoints.layout) == [{"offset": 7}]
        epoch(attempt, checkpoint(8), 1, 0)

    job, driver = attempts(), Driver(context, first, second)
    job.run(driver, str(tmp_path))
    assert (driver.begun, driver.restarts, job.rows) == ([0, 1], 1, [3, 1])


def test_an_epoch_whose_commit_failed_is_committed_and_counted_once_by_the_next_attempt(
    attempts: Callable[..., Attempts], context: ExecutionContext, checkpoint: At, tmp_path: Path
) -> None:
    def first(attempt: Attempt) -> None:
        driver.sink.failures = 1
        epoch(attempt, checkpoint(7), 2, 1)

    def second(attempt: Attempt) -> None:
        assert driver.sink.committed == ["epoch 0", "epoch 0"]
        assert attempt.checkpoints.folder.is_done(0)

    driver = Driver(context, first, second)
    job = attempts()
    job.run(driver, str(tmp_path))
    assert (driver.begun, job.rows) == ([0, 1], [2, 1])


def test_the_next_process_goes_on(attempts: Callable[..., Attempts], context: ExecutionContext, checkpoint: At, tmp_path: Path) -> None:
    attempts().run(Driver(context, lambda attempt: (epoch(attempt, checkpoint(7), 2, 1), None)[1]), str(tmp_path))
    seen: list[Sequence[Any]] = []
    job = attempts()
    job.run(Driver(context, lambda attempt: seen.append(attempt.restore_point.positions(attempt.checkpoints.layout))), str(tmp_path))
    assert (seen, job.rows) == ([[{"offset": 7}]], [0, 0])


def test_a_failure_that_would_come_again_ends_the_job(attempts: Callable[..., Attempts], context: ExecutionContext, tmp_path: Path) -> None:
    def fail(_: Attempt) -> None:
        raise TableRuntimeException("division by zero")

    driver = Driver(context, fail)
    with pytest.raises(TableRuntimeException, match="division by zero"):
        attempts().run(driver, str(tmp_path))
    assert driver.restarts == 0


def test_the_folder_of_another_engine_is_refused(
    attempts: Callable[..., Attempts], context: ExecutionContext, layout: JobLayout, tmp_path: Path
) -> None:
    attempts().run(Driver(context, lambda _: None), str(tmp_path))
    configuration = Configuration({})
    other = Attempts(
        "copy", "arrow", layout, Checkpointing.of(configuration), Restarts(configuration), JobRequests("job-2", JobState()), context
    )
    with pytest.raises(TableException, match="of the engine 'other', and not of 'copy' of 'arrow'"):
        other.run(Driver(context), str(tmp_path))


def test_a_job_that_is_cancelled_while_it_waits_ends(attempts: Callable[..., Attempts], context: ExecutionContext, tmp_path: Path) -> None:
    job = attempts(**{"restart-strategy_exponential-delay_initial-backoff": "1 h", "restart-strategy_exponential-delay_max-backoff": "1 h"})
    driver = Driver(context, away)
    threading.Timer(0.1, context.token.cancel).start()
    with pytest.raises(JobCancelledException, match="was ended before its restart"):
        job.run(driver, str(tmp_path))
    assert driver.restarts == 1


def test_a_job_that_is_asked_to_end_while_it_waits_runs_once_more(
    attempts: Callable[..., Attempts], requests: JobRequests, context: ExecutionContext, tmp_path: Path
) -> None:
    job = attempts(**{"restart-strategy_exponential-delay_initial-backoff": "1 h", "restart-strategy_exponential-delay_max-backoff": "1 h"})
    ends: list[bool] = []
    driver = Driver(context, away, lambda _: requests.on_end(ends.append))
    threading.Timer(0.1, requests.end).start()
    job.run(driver, str(tmp_path))
    assert (driver.begun, ends) == ([0, 0], [False])


def test_the_next_attempt_waits_until_the_failed_one_writes_no_more(
    attempts: Callable[..., Attempts], context: ExecutionContext, tmp_path: Path
) -> None:
    def first(attempt: Attempt) -> None:
        driver.may_write = True
        threading.Timer(0.2, lambda: setattr(driver, "may_write", False)).start()
        away(attempt)

    driver = Driver(context, first, lambda _: seen.append(driver.may_write))
    seen: list[bool] = []
    attempts().run(driver, str(tmp_path))
    assert seen == [False]
