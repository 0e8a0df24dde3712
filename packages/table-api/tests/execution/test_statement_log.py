from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from table_api import TableEnvironment, TableRuntimeException, ValidationException
from table_api.execution.statement_log import LONGEST, StatementLog
from table_common.exceptions import JobCancelledException

if TYPE_CHECKING:
    from conftest import FakePlanner


@pytest.fixture
def record_of(caplog: pytest.LogCaptureFixture) -> Callable[[], logging.LogRecord]:
    """Returns the only record of a statement."""
    caplog.set_level(logging.INFO, "table.statement")

    def only() -> logging.LogRecord:
        (record,) = (one for one in caplog.records if one.name == "table.statement")
        return record

    return only


def test_a_statement_without_a_job_is_logged(env: TableEnvironment, record_of: Callable[[], logging.LogRecord]) -> None:
    env.execute_sql("CREATE DATABASE\n  d")
    record = record_of()
    assert record.levelno == logging.INFO
    assert record.__dict__["statement"] == "CREATE DATABASE d"
    assert record.__dict__["outcome"] == "finished"
    assert record.__dict__["job_id"] is None


def test_secrets_of_a_statement_are_redacted(env: TableEnvironment, record_of: Callable[[], logging.LogRecord]) -> None:
    env.execute_sql("CREATE TABLE s (a INT) WITH ('connector' = 'none', 'password' = 'hunter2')")
    record = record_of()
    assert "CREATE TABLE s" in record.getMessage()
    assert "hunter2" not in str(record.__dict__)


def test_a_failing_statement_is_logged_with_its_code(env: TableEnvironment, record_of: Callable[[], logging.LogRecord]) -> None:
    with pytest.raises(ValidationException):
        env.execute_sql("SELECT nothing FROM t")
    record = record_of()
    assert record.levelno == logging.WARNING
    assert record.__dict__["outcome"] == "failed"
    assert record.__dict__["code"] == "VALIDATION"
    assert "nothing" in record.__dict__["failure"]


def test_a_failing_job_is_logged_once_with_its_statement(
    env: TableEnvironment, planner: FakePlanner, record_of: Callable[[], logging.LogRecord]
) -> None:
    planner.job.failure = TableRuntimeException("disk full")
    with pytest.raises(TableRuntimeException):
        env.execute_sql("SELECT a FROM t").wait()
    record = record_of()
    assert record.__dict__["statement"] == "SELECT a FROM t"
    assert record.__dict__["job_id"]
    assert record.__dict__["code"] == "RUNTIME"


def test_a_record_is_json_on_request(env: TableEnvironment, record_of: Callable[[], logging.LogRecord]) -> None:
    env.get_config().set("table.log.format", "json")
    env.execute_sql("SHOW DATABASES")
    record = record_of()
    fields = json.loads(record.getMessage())
    assert fields["statement"] == "SHOW DATABASES"
    assert fields["outcome"] == "finished"
    assert set(fields) == {"statement", "job_id", "outcome", "duration_ms", "rows", "code", "failure"}


def test_only_the_first_end_is_logged(record_of: Callable[[], logging.LogRecord]) -> None:
    log = StatementLog("SELECT 1", is_json=False)
    log.count_rows(2)
    log.count_rows(3)
    log.end()
    log.end(outcome="closed")
    record = record_of()
    assert record.__dict__["rows"] == 5
    assert record.getMessage().startswith("finished after ")


def test_a_long_statement_is_cut(record_of: Callable[[], logging.LogRecord]) -> None:
    StatementLog("SELECT " + "a, " * LONGEST, is_json=False).end()
    record = record_of()
    assert len(record.__dict__["statement"]) == LONGEST


def test_a_cancelled_job_did_not_fail(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "table.statement")
    log = StatementLog("INSERT INTO t SELECT 1", is_json=False)
    log.end(JobCancelledException("The job was cancelled."))
    (record,) = caplog.records
    assert record.__dict__["outcome"] == "cancelled"
    assert record.levelno == logging.INFO
    assert record.getMessage().startswith("cancelled after")
