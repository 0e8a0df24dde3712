"""Late rows and ignored retractions of a job: in its metrics, its warnings, its progress and the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[..., TableEnvironment]

WINDOW = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
COUNTS = f"SELECT window_start, window_end, COUNT(*) AS n FROM {WINDOW} GROUP BY window_start, window_end"
LATE = [("a", 1, 1), ("a", 30, 1), ("a", 2, 1), ("b", 3, 1), ("a", 31, 1)]
WARNING = "dropped 2 late rows: the watermark had reached their time when they came. A longer delay in the WATERMARK would keep them."


def test_late_rows_of_a_query_are_in_its_metrics_warnings_and_the_log(timed_env: MakeEnv, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="table.job")
    result = timed_env(LATE).execute_sql(COUNTS)
    with result.collect() as rows:
        assert [row.n for row in rows] == [1, 2]
    (warning,) = result.get_warnings()
    assert warning.startswith("WindowAggregate(groupBy=[window_start, window_end]")
    assert warning.endswith(WARNING)
    assert [record.getMessage() for record in caplog.records if record.name == "table.job"] == [warning]
    client = result.get_job_client()
    assert client is not None
    metrics = client.get_metrics()
    (late,) = [name for name, value in metrics.items() if name.endswith("numLateRecordsDropped") and value]
    assert metrics[late] == 2
    operator = late.partition(".")[0]
    assert metrics[f"{operator}.numRecordsIn"] == 5
    assert metrics[f"{operator}.currentInputWatermark"] == 1_704_067_226_000  # 00:00:31 less 5 seconds


def test_late_rows_of_an_insert_are_counted_per_operator(timed_env: MakeEnv, tmp_path: Path) -> None:
    env = timed_env(LATE)
    env.execute_sql(f"CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    reports: list[str] = []
    statements = env.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO o SELECT n FROM ({COUNTS})")
    statements.add_insert_sql("INSERT INTO o SELECT COUNT(*) OVER (ORDER BY ts) FROM t")
    result = statements.execute(progress=lambda text, share: reports.append(text))
    result.wait()
    assert [warning.partition("(")[0] for warning in result.get_warnings()] == ["WindowAggregate", "OverAggregate"]
    assert any(report.endswith("; 4 late rows dropped") for report in reports)


def test_retractions_of_rows_that_are_not_there_are_warnings(timed_env: MakeEnv, tmp_path: Path) -> None:
    env = timed_env([])
    (tmp_path / "changes.json").write_text(
        '{"before": {"a": 1}, "after": null, "op": "d"}\n{"before": null, "after": {"a": 2}, "op": "c"}\n'
    )
    env.execute_sql(
        f"CREATE TABLE c (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'changes.json'}', 'format' = 'debezium-json')"
    )
    result = env.execute_sql("SELECT a, COUNT(*) FROM c GROUP BY a")
    list(result.collect())
    (warning,) = result.get_warnings()
    assert warning.endswith("ignored 1 retraction: there was no such row or value to retract.")


def test_a_result_without_losses_has_no_warnings(timed_env: MakeEnv, caplog: pytest.LogCaptureFixture) -> None:
    env = timed_env([("a", 1, 1)])
    result = env.execute_sql(COUNTS)
    list(result.collect())
    assert result.get_warnings() == ()
    assert env.execute_sql("SHOW TABLES").get_warnings() == ()
    assert not caplog.records
