"""A job that has begun to commit is not cancelled: its status says what the commit did."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, JobClient, TableEnvironment
from table_common.exceptions import JobCancelledException
from table_runtime.files.local_folder import LocalChange
from table_runtime.files.locks import write_lock

LIMIT_SECONDS = 60.0


def environment(planner: str, folder: Path) -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())
    env.execute_sql(f"CREATE TABLE o (a INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv')")
    return env


class Begun:
    """Keeps a job between the beginning of its change and the commit, until the test holds the lock of the table."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._has_begun, self._goes_on = threading.Event(), threading.Event()
        begin = LocalChange.begin

        def begin_and_wait(write: LocalChange) -> None:
            begin(write)
            self._has_begun.set()
            assert self._goes_on.wait(LIMIT_SECONDS)

        monkeypatch.setattr(LocalChange, "begin", begin_and_wait)

    def wait(self) -> None:
        assert self._has_begun.wait(LIMIT_SECONDS)

    def go_on(self) -> None:
        self._goes_on.set()


def wait_until_it_commits(client: JobClient) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not client.commits and client.get_job_status().value == "RUNNING":
        assert time.monotonic() < deadline
        time.sleep(0.001)


def rows(folder: Path) -> list[str]:
    return [line for path in folder.glob("[!.]*.csv") for line in path.read_text().split()]


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_a_cancellation_while_a_commit_waits_for_a_lock_has_no_effect(
    planner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "o"
    begun = Begun(monkeypatch)
    with environment(planner, folder) as env:
        result = env.execute_sql("INSERT INTO o VALUES (1)")
        client = result.get_job_client()
        assert client is not None
        begun.wait()
        with write_lock(folder):
            begun.go_on()
            wait_until_it_commits(client)
            client.cancel()
            statuses = {client.get_job_status().value}
        try:
            result.wait()
        except JobCancelledException:
            pytest.fail("the rows are committed, but the job says that it was cancelled")
        statuses.add(client.get_job_status().value)
        assert statuses <= {"RUNNING", "FINISHED"}
    assert rows(folder) == ["1"]


def test_a_time_limit_that_passes_while_a_commit_waits_for_a_lock_does_not_end_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "o"
    with environment("arrow", folder) as env:
        env.execute_sql("INSERT INTO o VALUES (0)").wait()
        env.get_config().set("table.exec.timeout", "2 s")
        begun = Begun(monkeypatch)
        started = time.monotonic()
        result = env.execute_sql("INSERT INTO o VALUES (1)")
        client = result.get_job_client()
        assert client is not None
        begun.wait()
        with write_lock(folder):
            begun.go_on()
            wait_until_it_commits(client)
            while time.monotonic() < started + 2.5:
                time.sleep(0.01)
            assert client.commits
        result.wait()
        assert client.get_job_status().value == "FINISHED"
    assert sorted(rows(folder)) == ["0", "1"]
