"""Stops and savepoints that meet a restart or each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient, JobStatus
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.job.savepoints import SavepointRequest
from table_testing.line_log import LineLog, append_lines

Eventually = Callable[[Callable[[], bool]], None]


def lines(tmp_path: Path) -> list[str]:
    return sorted(line for path in (tmp_path / "o").glob("[!.]*") for line in path.read_text().splitlines())


def test_savepoints_that_are_asked_for_during_one_epoch_are_one(
    env: TableEnvironment, copy_job: Callable[[], JobClient], monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    env.get_config().set("execution.checkpointing.interval", "100000 h")
    begun, go_on, asked = threading.Event(), threading.Event(), list[SavepointRequest]()
    savepoint = JobRequests.savepoint

    def commit(passed: str, _: int) -> None:
        if passed == "decided" and not begun.is_set():
            begun.set()
            go_on.wait(10)

    def note(requests: JobRequests, directory: str | None, *, is_last: bool = False) -> SavepointRequest:
        asked.append(savepoint(requests, directory, is_last=is_last))
        return asked[-1]

    monkeypatch.setattr(failure_points, "listeners", [commit])
    monkeypatch.setattr(JobRequests, "savepoint", note)
    job, paths = copy_job(), list[str]()
    asking = [threading.Thread(target=lambda: paths.append(job.trigger_savepoint())) for _ in range(3)]
    asking[0].start()
    assert begun.wait(10)
    for thread in asking[1:]:
        thread.start()
    eventually(lambda: len(asked) == 3)
    stopping = threading.Thread(target=lambda: paths.append(job.stop_with_savepoint()))
    stopping.start()
    eventually(lambda: len(asked) == 4)
    go_on.set()
    for thread in (*asking, stopping):
        thread.join(10)
    assert len(paths) == 4
    assert len(set(paths)) == 2


@pytest.mark.parametrize("end", ["end", "savepoint", "drain"])
def test_a_job_that_is_stopped_before_its_restart_ends_behind_its_last_epoch(
    end: str,
    env: TableEnvironment,
    copy_job: Callable[[], JobClient],
    tmp_path: Path,
    is_away: list[bool],
    eventually: Eventually,
) -> None:
    # The source is still away: it is not needed to end.
    env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "1 h")
    env.get_config().set("restart-strategy.exponential-delay.max-backoff", "1 h")
    job = copy_job()
    eventually(lambda: lines(tmp_path) == ["1"])
    is_away[0] = True
    append_lines(tmp_path / "t", "0", [[2]])
    eventually(lambda: job.get_job_status() is JobStatus.RESTARTING)
    if end == "end":
        job.end()
    else:
        assert (Path(job.stop_with_savepoint(end == "drain")) / "savepoint.json").is_file()
    assert job.get_job_execution_result().exception() is None
    assert job.get_job_status() is JobStatus.FINISHED
    is_away[0] = False
    copy_job()
    eventually(lambda: lines(tmp_path) == ["1", "2"])


def test_a_job_that_is_cancelled_before_its_restart_ends_at_once(
    env: TableEnvironment, copy_job: Callable[[], JobClient], monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    env.get_config().set("restart-strategy.exponential-delay.initial-backoff", "1 h")
    env.get_config().set("restart-strategy.exponential-delay.max-backoff", "1 h")

    def away(*_: Any) -> Any:
        raise ConnectionResetError("the source is away")

    monkeypatch.setattr(LineLog, "latest_offset", away)
    job = copy_job()
    eventually(lambda: job.get_job_status() is JobStatus.RESTARTING)
    job.cancel().result()
    assert job.get_job_status() is JobStatus.CANCELED
