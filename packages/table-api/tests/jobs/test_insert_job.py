"""Inserts that nobody waits for: what the end of a block, ``close`` and a dropped result do."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from table_api import JobStatus, TableEnvironment, TableException, TableResult, TableRuntimeException

if TYPE_CHECKING:
    from conftest import FakePlanner


INSERT = "INSERT INTO sink SELECT a, b FROM t"


pytestmark = pytest.mark.usefixtures("own_program")


def _run_block(env: TableEnvironment, *, then: Callable[[], object] = lambda: None, inserts: int = 1) -> None:
    with env:
        for _ in range(inserts):
            env.execute_sql(INSERT)
        then()


def _raises(error: BaseException) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def _until_reported() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith(("job-", "report-")):
            thread.join()


def _fails(planner: FakePlanner) -> None:
    planner.job.failure = TableRuntimeException("disk full")


def test_the_end_of_a_block_waits_for_inserts(sink: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.endless = True
    with sink:
        sink.execute_sql(INSERT)
        threading.Timer(0.05, planner.job.cancelled.set).start()
    assert planner.job.closed
    assert planner.job.status is JobStatus.RUNNING  # nobody cancelled it


def test_an_exception_in_a_block_cancels_inserts_and_says_which(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]
) -> None:
    planner.job.endless = True
    with pytest.raises(ZeroDivisionError):
        _run_block(sink, then=_raises(ZeroDivisionError()))
    assert planner.job.status is JobStatus.CANCELED
    assert capsys.readouterr().err == (
        "Cancelled because the block of the environment ended with ZeroDivisionError: "
        "insert-into_default_catalog.default_database.sink (job job-1)\n"
    )


def test_a_block_that_exits_the_program_waits(sink: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.endless = True
    threading.Timer(0.05, planner.job.cancelled.set).start()
    with pytest.raises(SystemExit):
        _run_block(sink, then=_raises(SystemExit(3)))
    assert planner.job.status is JobStatus.RUNNING


def test_close_cancels_inserts_and_says_which(sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]) -> None:
    planner.job.endless = True
    sink.execute_sql(INSERT)
    sink.close()
    assert planner.job.status is JobStatus.CANCELED
    assert capsys.readouterr().err.startswith("Cancelled because the environment was closed: insert-into_")


def test_close_says_nothing_of_queries(env: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]) -> None:
    planner.job.endless = True
    env.execute_sql("SELECT a FROM t")
    env.close()
    assert capsys.readouterr().err == ""


def test_the_end_of_a_block_raises_a_failure_that_nobody_saw(sink: TableEnvironment, planner: FakePlanner) -> None:
    _fails(planner)
    with pytest.raises(TableRuntimeException, match="disk full"), sink:
        sink.execute_sql(INSERT)


def test_the_end_of_a_block_raises_a_failure_also_if_it_was_told_before(sink: TableEnvironment, planner: FakePlanner) -> None:
    _fails(planner)
    with pytest.raises(TableRuntimeException, match="disk full"):
        _run_block(sink, then=_until_reported)


def test_further_failures_are_notes_of_the_first(sink: TableEnvironment, planner: FakePlanner) -> None:
    _fails(planner)
    with pytest.raises(TableRuntimeException) as raised:
        _run_block(sink, inserts=2)
    assert raised.value.__notes__ == ["Another job failed too: disk full"]


def test_a_failure_that_was_waited_for_is_raised_once(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails(planner)
    with sink:
        with pytest.raises(TableRuntimeException, match="disk full"):
            sink.execute_sql(INSERT).wait()
        assert sink.session is not None
    assert capsys.readouterr().err == ""


def test_a_failure_whose_result_was_dropped_is_told_at_once(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails(planner)
    sink.execute_sql(INSERT)
    _until_reported()
    error = capsys.readouterr().err
    assert error.startswith("insert-into_default_catalog.default_database.sink failed")
    assert error.endswith("disk full\n")


def test_a_failure_whose_result_is_dropped_later_is_told_then(
    sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails(planner)
    results: list[TableResult] = [sink.execute_sql(INSERT)]
    _until_reported()
    assert capsys.readouterr().err == ""
    results.clear()
    gc.collect()
    _until_reported()
    assert "disk full" in capsys.readouterr().err


def test_close_tells_a_failure_that_nobody_saw(sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]) -> None:
    _fails(planner)
    result = sink.execute_sql(INSERT)
    _until_reported()
    sink.close()
    assert "disk full" in capsys.readouterr().err
    assert result.get_job_client() is not None


def test_a_cancelled_insert_is_no_failure(sink: TableEnvironment, planner: FakePlanner, capsys: pytest.CaptureFixture[str]) -> None:
    planner.job.endless = True
    with sink:
        client = sink.execute_sql(INSERT).get_job_client()
        assert client is not None
        client.cancel()
    assert capsys.readouterr().err == ""


def test_an_environment_is_closed_after_its_block(sink: TableEnvironment) -> None:
    with sink:
        pass
    with pytest.raises(TableException, match="was closed"):
        sink.execute_sql("SELECT a FROM t")
