"""One environment in both modes: `SET 'execution.runtime-mode'` applies to the statements and executions that follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import Table, TableEnvironment, TableResult

ROWS = "a,1,2024-01-01 00:00:01\na,2,2024-01-01 00:00:05\nb,3,2024-01-01 00:01:01\n"
SUMS = "SELECT k, SUM(n) AS s FROM events GROUP BY k"


def _rows(result: TableResult) -> list[str]:
    return sorted(f"{row.get_row_kind()} {', '.join(map(str, row))}" for row in result.collect())


def _set(env: TableEnvironment, mode: str) -> None:
    env.execute_sql(f"SET 'execution.runtime-mode' = '{mode}'")


@pytest.fixture
def env(make_env: Callable[[str], TableEnvironment], tmp_path: Path) -> TableEnvironment:
    (tmp_path / "events.csv").write_text(ROWS)
    env = make_env("arrow")
    for kind, name in (("TABLE", "events"), ("TEMPORARY TABLE", "temporary_events")):
        env.execute_sql(
            f"CREATE {kind} {name} (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
            f"WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'events.csv'}')"
        )
        env.execute_sql(
            f"CREATE TEMPORARY VIEW {name}_by_minute AS SELECT k, window_start, COUNT(*) AS c "
            f"FROM TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end"
        )
    return env


def test_statements_run_in_the_mode_that_is_set(env: TableEnvironment) -> None:
    for mode in ("batch", "streaming", "batch"):
        _set(env, mode)
        changes = ["+I a, 1", "+I b, 3", "+U a, 3", "-U a, 1"] if mode == "streaming" else ["+I a, 3", "+I b, 3"]
        assert _rows(env.execute_sql(SUMS)) == changes
        for view in ("events_by_minute", "temporary_events_by_minute"):
            assert _rows(env.execute_sql(f"SELECT * FROM {view}")) == ["+I a, 2024-01-01 00:00:00, 2", "+I b, 2024-01-01 00:01:00, 1"]


def test_a_table_made_in_one_mode_runs_in_the_other(env: TableEnvironment) -> None:
    made: list[Table] = []
    for mode in ("streaming", "batch"):
        _set(env, mode)
        made += [env.from_path("events"), env.sql_query(SUMS), env.sql_query("SELECT * FROM events_by_minute")]
    for mode, sums in (("streaming", 4), ("batch", 2)):
        _set(env, mode)
        assert [len(_rows(table.execute())) for table in made] == [3, sums, 2, 3, sums, 2]


def test_the_mode_on_spark(make_env: Callable[[str], TableEnvironment]) -> None:
    env = make_env("spark")
    query = "SELECT k, COUNT(*) AS n FROM (VALUES 'a', 'b', 'a') AS t (k) GROUP BY k"
    assert _rows(env.execute_sql(query)) == ["+I a, 2", "+I b, 1"]
    _set(env, "streaming")
    assert env.sql_query("SELECT 1").execute().collect() is not None
    _set(env, "batch")
    assert _rows(env.execute_sql(query)) == ["+I a, 2", "+I b, 1"]
