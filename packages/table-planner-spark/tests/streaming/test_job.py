"""The client of a streaming job on Spark: status, savepoints, end and cancellation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_api import JobStatus
from table_common.exceptions import JobCancelledException, TableException


def test_a_job_is_running_until_it_is_asked_to_end(watched: Any) -> None:
    watched.add((1, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1"])
    assert client.get_job_status() is JobStatus.RUNNING
    client.end()
    client.get_job_execution_result().result()
    assert client.get_job_status() is JobStatus.FINISHED


def test_a_savepoint_of_a_running_job_is_a_folder(watched: Any) -> None:
    watched.add((1, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1"])
    path = client.trigger_savepoint(str(watched.folder / "savepoints"))
    assert Path(path).is_dir()
    assert [checkpoint["rows"] for checkpoint in client.checkpoints()][-1] == 1
    client.end()


def test_a_cancelled_query_ends(watched: Any) -> None:
    watched.add((1, 1))
    result = watched.env.execute_sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k")
    with result.collect() as rows:
        assert tuple(next(iter(rows))) == (1, 1)
        result.get_job_client().cancel()
        with pytest.raises(JobCancelledException):
            list(rows)
    assert result.get_job_client().get_job_status() is JobStatus.CANCELED


def test_a_query_has_no_savepoint(watched: Any) -> None:
    watched.add((1, 1))
    result = watched.env.execute_sql("SELECT k FROM t")
    with pytest.raises(TableException, match="has no checkpoints"):
        result.get_job_client().trigger_savepoint(str(watched.folder))
    result.get_job_client().cancel()
