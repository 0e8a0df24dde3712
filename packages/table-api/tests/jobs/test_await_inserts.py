"""Waiting for INSERTs: the progress report, and Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from table_api import JobStatus, TableEnvironment
from table_api.jobs import await_inserts as waiting
from table_api.jobs.insert_job import InsertJob

if TYPE_CHECKING:
    from conftest import FakePlanner


INSERT = "INSERT INTO sink SELECT a, b FROM t"


pytestmark = pytest.mark.usefixtures("own_program")


def test_a_long_wait_shows_what_runs_and_how_far_it_is(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_QUIET_SECONDS", 0.0)
    planner.job.endless = True
    with sink:
        sink.execute_sql(INSERT)
        threading.Timer(0.2, planner.job.cancelled.set).start()
    assert capsys.readouterr().err == (
        "Waiting for 1 job that still writes (Ctrl-C cancels): insert-into_default_catalog.default_database.sink (0 s, 0%, started)\n"
    )


def test_ctrl_c_while_a_block_waits_cancels(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planner.job.endless = True
    monkeypatch.setattr(waiting._Report, "update", _interrupt)
    with pytest.raises(KeyboardInterrupt), sink:
        sink.execute_sql(INSERT)
    assert planner.job.status is JobStatus.CANCELED
    assert capsys.readouterr().err.startswith("Cancelled by Ctrl-C: insert-into_")


@pytest.mark.parametrize("statement_waits", [True, False])
def test_ctrl_c_while_a_statement_or_its_result_is_waited_for_cancels(
    sink: TableEnvironment,
    planner: FakePlanner,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    statement_waits: bool,
) -> None:
    planner.job.endless = True
    join = InsertJob.join

    def interrupted(job: InsertJob, timeout: float | None = None) -> bool:
        monkeypatch.setattr(InsertJob, "join", join)
        raise KeyboardInterrupt

    monkeypatch.setattr(InsertJob, "join", interrupted)
    sink.get_config().set("table.dml-sync", str(statement_waits).lower())
    with pytest.raises(KeyboardInterrupt):
        sink.execute_sql(INSERT).wait()
    assert planner.job.status is JobStatus.CANCELED
    assert capsys.readouterr().err.startswith("Cancelled by Ctrl-C: insert-into_")


def _interrupt(report: object, jobs: object) -> None:
    raise KeyboardInterrupt
