"""STOP JOB, SHOW JOBS and DESCRIBE JOB where there are no jobs; the engine's tests have those with jobs."""

from __future__ import annotations

import pytest

from table_api import TableEnvironment
from table_common.exceptions import ValidationException


def test_a_session_without_jobs_shows_none(plain: TableEnvironment) -> None:
    result = plain.execute_sql("SHOW JOBS")
    assert list(result.get_resolved_schema().column_names) == ["job id", "job name", "status", "start time"]
    assert list(result.collect()) == []


@pytest.mark.parametrize("statement", ["STOP JOB 'j'", "STOP JOB 'j' WITH SAVEPOINT", "DESCRIBE JOB 'j'"])
def test_an_unknown_job_is_an_error(statement: str, plain: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Job 'j'"):
        plain.execute_sql(statement)
