from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import JobCancelledException
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]


def kinds(rows: object, count: int) -> list[str]:
    return [f"{row.get_row_kind()}{list(row)}" for row in islice(rows, count)]  # type: ignore[call-overload]


def written(folder: Path) -> list[str]:
    return sorted(line for path in folder.glob("[!.]*") for line in path.read_text().splitlines())


def test_rows_of_a_query_come_while_its_source_goes_on(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT, v INT")
    append_lines(log, "0", [[1, 10], [2, 5]])
    with env.execute_sql("SELECT k, SUM(v) FROM t GROUP BY k").collect() as rows:
        assert kinds(rows, 2) == ["+I[1, 10]", "+I[2, 5]"]
        append_lines(log, "0", [[1, 1]])
        assert kinds(rows, 2) == ["-U[1, 10]", "+U[1, 11]"]


def test_a_stateless_query_goes_on_too(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT")
    append_lines(log, "0", [[1]])
    with env.execute_sql("SELECT k + 1 FROM t WHERE k > 0").collect() as rows:
        assert kinds(rows, 1) == ["+I[2]"]
        append_lines(log, "1", [[0], [2]])
        assert kinds(rows, 1) == ["+I[3]"]


def test_changes_of_a_source_keep_their_kinds(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT, v INT", "changes:")
    append_lines(log, "0", [["+I", 1, 10], ["-D", 1, 10]])
    with env.execute_sql("SELECT v + 1 FROM t").collect() as rows:
        assert kinds(rows, 2) == ["+I[11]", "-D[11]"]


def test_a_full_limit_ends_the_job(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT")
    append_lines(log, "0", [[1], [2], [3]])
    result = env.execute_sql("SELECT k FROM t LIMIT 2")
    assert [row[0] for row in result.collect()] == [1, 2]
    client = result.get_job_client()
    assert client is not None
    assert client.get_job_status().value == "FINISHED"


def test_a_bounded_source_beside_one_that_goes_on_is_read_to_its_end(env: TableEnvironment, log_table: LogTable) -> None:
    facts, names = log_table(env, "facts", "k INT"), log_table(env, "names", "k INT, name STRING", "bounded:")
    append_lines(names, "0", [[1, "one"]])
    append_lines(facts, "0", [[1]])
    with env.execute_sql("SELECT facts.k, name FROM facts JOIN names ON facts.k = names.k").collect() as rows:
        assert kinds(rows, 1) == ["+I[1, 'one']"]


def test_closing_the_rows_cancels_the_job(env: TableEnvironment, log_table: LogTable) -> None:
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    result = env.execute_sql("SELECT k FROM t")
    with result.collect() as rows:
        assert kinds(rows, 1) == ["+I[1]"]
    client = result.get_job_client()
    assert client is not None
    assert client.get_job_status().value == "CANCELED"


def test_an_insert_commits_epochs_while_it_runs_and_is_cancelled_at_once(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    log = log_table(env, "t", "k INT")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    append_lines(log, "0", [[1], [2]])
    result = env.execute_sql("INSERT INTO o SELECT k FROM t")
    eventually(lambda: written(tmp_path / "o") == ["1", "2"])
    append_lines(log, "0", [[3]])
    eventually(lambda: written(tmp_path / "o") == ["1", "2", "3"])
    client = result.get_job_client()
    assert client is not None
    assert client.get_job_status().value == "RUNNING"
    began = time.monotonic()
    client.cancel()
    with pytest.raises(JobCancelledException):
        result.wait()
    assert time.monotonic() - began < 2  # milliseconds on an idle machine
    eventually(lambda: not any(thread.name.startswith("table-source") for thread in threading.enumerate()))


def test_closing_the_environment_ends_an_insert_with_an_epoch(
    env: TableEnvironment, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    env.get_config().set("table.exec.sink.commit-interval", "1 h")
    log = log_table(env, "t", "k INT")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    append_lines(log, "0", [[1], [2]])
    client = env.execute_sql("INSERT INTO o SELECT k FROM t").get_job_client()
    assert client is not None
    eventually(lambda: client.get_metrics().get("Source[1].numRecordsOut") == 2)
    env.close()
    assert written(tmp_path / "o") == ["1", "2"]
    assert client.get_job_status().value == "FINISHED"


def test_a_window_of_processing_time_ends_while_no_source_speaks(env: TableEnvironment, log_table: LogTable) -> None:
    log = log_table(env, "t", "k INT, p AS PROCTIME()")
    append_lines(log, "0", [[1], [2]])
    sql = "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '1' SECOND)) GROUP BY window_start, window_end"
    with env.execute_sql(sql).collect() as rows:
        assert kinds(rows, 1) == ["+I[2]"]


def test_a_failure_of_the_graph_ends_the_job_with_its_error(env: TableEnvironment, log_table: LogTable) -> None:
    append_lines(log_table(env, "t", "k INT"), "0", [[0]])
    with pytest.raises(Exception, match="zero"):
        list(env.execute_sql("SELECT 1 / k FROM t").collect())


def test_closing_the_environment_cancels_a_query_that_nobody_reads(
    env: TableEnvironment, log_table: LogTable, eventually: Eventually
) -> None:
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    result = env.execute_sql("SELECT k FROM t")
    client = result.get_job_client()
    assert client is not None
    client.end()
    assert client.get_job_status().value == "CANCELED"
