"""Restarts after failures of systems, and none after failures of data."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient
from table_common.configuration import Configuration
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.job.restarts import Restarts, is_failure_of_system
from table_runtime.streaming.sinks import file_epochs
from table_testing import line_log
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]


class OperationalError(Exception):
    """As a database driver raises it."""


def raised_from(cause: BaseException) -> TableRuntimeException:
    error = TableRuntimeException("failed")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "is_system"),
    [(ConnectionResetError(), True), (OSError(), True), (OperationalError(), True), (ValueError(), False), (ZeroDivisionError(), False)],
)
def test_failures_of_systems(cause: BaseException, is_system: bool) -> None:
    assert is_failure_of_system(raised_from(cause)) is is_system


def test_delays_grow_to_the_longest_one_and_begin_anew_after_a_checkpoint() -> None:
    keys = "restart-strategy.exponential-delay."
    restarts = Restarts(
        Configuration(
            {
                f"{keys}initial-backoff": "1 s",
                f"{keys}max-backoff": "3 s",
                f"{keys}backoff-multiplier": "2.0",
                f"{keys}attempts-before-reset-backoff": "4",
            }
        )
    )
    error = raised_from(OSError())
    assert [restarts.delay_after(error) for _ in range(5)] == [1.0, 2.0, 3.0, 3.0, None]
    restarts.succeeded()
    assert restarts.delay_after(error) == 1.0
    assert restarts.delay_after(raised_from(ValueError())) is None


def test_a_fixed_number_of_attempts() -> None:
    restarts = Restarts(
        Configuration(
            {
                "restart-strategy.type": "fixed-delay",
                "restart-strategy.fixed-delay.attempts": "2",
                "restart-strategy.fixed-delay.delay": "5 s",
            }
        )
    )
    assert [restarts.delay_after(raised_from(OSError())) for _ in range(3)] == [5.0, 5.0, None]
    assert Restarts(Configuration({"restart-strategy.type": "none"})).delay_after(raised_from(OSError())) is None


def test_a_job_goes_on_after_its_source_was_away(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = 2
    read = line_log._Reader.read

    def flaky(self: Any, split: Any) -> Any:
        nonlocal failures
        if split.start > 0 and failures:
            failures -= 1
            raise ConnectionResetError("the source is away")
        return read(self, split)

    monkeypatch.setattr(line_log._Reader, "read", flaky)
    log = log_table(env, "t", "k INT, v INT")
    config = env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    config.set("restart-strategy.exponential-delay.initial-backoff", "50 ms")
    env.execute_sql(
        f"CREATE TABLE o (op STRING, k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')"
    )
    env.execute_sql("CREATE VIEW q AS SELECT k, SUM(v) AS v FROM t GROUP BY k")
    append_lines(log, "0", [[1, 10]])
    client = env.execute_sql("INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE q)").get_job_client()
    assert client is not None

    def lines() -> list[str]:
        return sorted(line for path in (tmp_path / "o").glob("[!.]*") for line in path.read_text().splitlines())

    eventually(lambda: lines() == ["INSERT,1,10"])
    append_lines(log, "0", [[1, 1]])
    eventually(lambda: lines() == ["INSERT,1,10", "UPDATE_AFTER,1,11", "UPDATE_BEFORE,1,10"])
    assert failures == 0
    assert client.get_job_status().value == "RUNNING"


def test_the_next_attempt_waits_for_a_commit_of_the_failed_one(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both would commit the same epoch at the same time.
    began, may_end = threading.Event(), threading.Event()
    active: list[int] = []
    most = 0
    commit = file_epochs._Committer.commit
    latest = line_log.LineLog.latest_offset

    def slow(self: Any, messages: Any) -> None:
        nonlocal most
        active.append(self._epoch)
        most = max(most, len(active))
        if any(message.files for message in messages):
            began.set()
            may_end.wait(20)
        commit(self, messages)
        active.pop()

    def away(self: Any, *arguments: Any) -> Any:
        if began.is_set() and not may_end.is_set():
            raise ConnectionResetError("the source is away")
        return latest(self, *arguments)

    monkeypatch.setattr(file_epochs._Committer, "commit", slow)
    monkeypatch.setattr(line_log.LineLog, "latest_offset", away)
    log = log_table(env, "t", "k INT")
    config = env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    config.set("restart-strategy.exponential-delay.initial-backoff", "10 ms")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    append_lines(log, "0", [[1]])
    client = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
    assert client is not None
    assert began.wait(20)
    append_lines(log, "0", [[2]])
    eventually(lambda: client.get_job_status().value == "RESTARTING")
    threading.Event().wait(0.5)  # a second commit would begin in this time
    assert most == 1
    may_end.set()
    eventually(lambda: sorted(line for path in (tmp_path / "o").glob("part-*") for line in path.read_text().split()) == ["1", "2"])
    assert most == 1


@pytest.mark.parametrize("mode", ["RESUME", "FRESH", "REFUSE"])
@pytest.mark.parametrize("point", ["prepared", "decided"])
def test_rows_are_written_and_counted_once_whatever_failed(
    point: str, mode: str, env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    # The mode is that of the start: a restart continues after the epochs of its own run.
    failures = [1, 0]

    def fail(passed: str, epoch: int) -> None:
        if passed == point and epoch in failures:
            failures.remove(epoch)
            raise ConnectionResetError("the sink is away")

    log = log_table(env, "t", "k INT")
    config = env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "copy")
    config.set("restart-strategy.exponential-delay.initial-backoff", "10 ms").set("execution.state-recovery.mode", mode)
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")

    def lines() -> list[str]:
        return sorted(line for path in (tmp_path / "o").glob("part-*") for line in path.read_text().split())

    failure_points.listeners.append(fail)
    try:
        append_lines(log, "0", [[1], [2]])
        result = env.execute_sql("INSERT INTO o SELECT k FROM t")
        eventually(lambda: lines() == ["1", "2"])
        append_lines(log, "0", [[3]])
        eventually(lambda: lines() == ["1", "2", "3"] and not failures)
        append_lines(log, "0", [[4]])
        eventually(lambda: lines() == ["1", "2", "3", "4"])
        client = result.get_job_client()
        assert client is not None
        client.stop_with_savepoint()
    finally:
        failure_points.listeners.remove(fail)
    with result.collect() as rows:
        assert [tuple(row) for row in rows] == [(4,)]
    assert lines() == ["1", "2", "3", "4"]


@pytest.mark.parametrize("path", ["job.json", "locks/0.json"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("is_written", [False, True])
def test_a_failure_of_the_folder_at_the_start_restarts_the_job(
    path: str,
    number: int,
    is_written: bool,
    copy_job: Callable[[], JobClient],
    tmp_path: Path,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # It ended the process, though the same failure one epoch later restarts the job.
    store, failures = type(open_store(str(tmp_path))), [number] * (1 if is_written else 2)
    create = store.create

    def failing(self: Any, name: str, content: bytes) -> bool:
        if name != path or not failures:
            return create(self, name, content)
        if is_written:
            create(self, name, content)
        with self.errors(name):
            raise OSError(failures.pop(), "no")

    monkeypatch.setattr(store, "create", failing)
    monkeypatch.setattr(Restarts, "delay_after", lambda _, error: 0.01 if is_failure_of_system(error) else None)
    job = copy_job()
    eventually(lambda: [path.read_text() for path in (tmp_path / "o").glob("part-*")] == ["1\n"])
    assert not failures
    job.cancel()


def test_a_folder_without_rights_ends_the_job_at_the_start(
    copy_job: Callable[[], JobClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = type(open_store(str(tmp_path)))

    def failing(self: Any, name: str, content: bytes) -> bool:
        with self.errors(name):
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(store, "create", failing)
    job = copy_job()
    with pytest.raises(TableRuntimeException, match=r"job.json' failed: PermissionError: Permission denied"):
        job.get_job_execution_result().result()
