from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableException
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]


def test_a_plan_whose_sources_end_runs_once(env: TableEnvironment, log_table: LogTable) -> None:
    append_lines(log_table(env, "t", "k INT", "bounded:"), "0", [[1], [1], [2]])
    rows = [f"{row.get_row_kind()}{list(row)}" for row in env.execute_sql("SELECT k, COUNT(*) FROM t GROUP BY k").collect()]
    assert rows == ["+I[1, 1]", "-U[1, 1]", "+U[1, 2]", "+I[2, 1]"]


def test_a_plan_can_be_run_again(env: TableEnvironment, log_table: LogTable) -> None:
    append_lines(log_table(env, "t", "k INT"), "0", [[1]])
    table = env.sql_query("SELECT k FROM t LIMIT 1")
    assert [[row[0] for row in table.execute().collect()] for _ in range(2)] == [[1], [1]]


def test_an_upgrade_of_a_statement_without_checkpoints_is_an_error(env: TableEnvironment, log_table: LogTable, tmp_path: Path) -> None:
    log_table(env, "t", "k INT")
    env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')")
    with pytest.raises(TableException, match="The statement would run without checkpoints"):
        env.explain_upgrade("INSERT INTO o SELECT k FROM t")
