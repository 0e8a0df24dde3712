"""EXPLAIN ANALYZE: what operators did, beside what was estimated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, ExplainDetail, TableEnvironment
from table_common.exceptions import TableException, TableRuntimeException

ROWS = 1_000
QUERY = "SELECT SUM(v) AS s FROM t JOIN d ON t.k = d.k WHERE d.name = 'n3'"


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    pq.write_table(pa.table({"k": [i // 100 for i in range(ROWS)], "v": range(ROWS)}), tmp_path / "t.parquet", row_group_size=100)
    pq.write_table(pa.table({"k": range(10), "name": [f"n{i}" for i in range(10)]}), tmp_path / "d.parquet")
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        for name, columns in (("t", "k BIGINT, v BIGINT"), ("d", "k BIGINT, name STRING")):
            made.execute_sql(
                f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / name}.parquet')"
            )
        yield made


def analyzed(env: TableEnvironment, query: str) -> str:
    (row,) = env.execute_sql(f"EXPLAIN ANALYZE {query}").to_arrow().to_pylist()
    return str(row["result"]).partition("== Physical Plan")[2]


def test_rows_and_estimates_of_each_operator_are_shown(env: TableEnvironment) -> None:
    plan = analyzed(env, QUERY)
    (scan,) = [line for line in plan.splitlines() if "default_database.t]" in line]
    (filter_,) = [line for line in plan.splitlines() if "Filter(" in line]
    assert f"[rows=100, estimated rows={ROWS}, batches=1, size=2 kB, cpu=" in scan
    assert "[rows=1, estimated rows=1, batches=1, " in filter_
    assert all(re.search(r"cpu=[\d.]+ ms\]$", line) for line in plan.splitlines() if "HashAggregate" in line)


def test_the_effect_of_runtime_filters_and_totals_are_shown(env: TableEnvironment) -> None:
    lines = analyzed(env, QUERY).splitlines()
    assert "Runtime filter #1, k: 1 keys, 9 of 10 row groups skipped, 0 of 100 rows dropped" in lines
    assert re.fullmatch(
        r"Total: [\d.]+ ms of processor time \([\d.]+ ms outside of the operators\), [\d.]+ ms elapsed, .* allocated at most, nothing spilled",
        lines[-1],
    )


def test_spilled_bytes_are_shown_at_the_operator_and_in_the_total(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.run.memory.account.FIXED", 200)
    lines = analyzed(env, "SELECT a.v, COUNT(*) FROM t AS a JOIN t AS b ON a.v = b.v GROUP BY a.v").splitlines()
    assert [line.strip("+- ").partition("(")[0] for line in lines if "spilled=" in line] == ["HashAggregate", "Project"]  # above the join
    assert re.search(r", \d+ kB spilled$", lines[-1])


def test_a_statement_that_writes_is_refused(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE s (v BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / 's'}')")
    with pytest.raises(TableException, match="accepts queries only"):
        env.execute_sql("EXPLAIN ANALYZE INSERT INTO s SELECT v FROM t")
    assert not (tmp_path / "s").exists()


def test_an_error_of_the_query_is_raised(env: TableEnvironment) -> None:
    with pytest.raises(TableRuntimeException):
        env.execute_sql("EXPLAIN ANALYZE SELECT 1 / (v - 5) FROM t")


def test_the_physical_plan_has_estimates_on_request(env: TableEnvironment) -> None:
    plan = env.sql_query(QUERY).explain(ExplainDetail.ESTIMATED_COST).partition("== Physical Plan")[2]
    assert "Filter(where=[(name = 'n3')]) [estimated rows=1]" in plan
    assert "[estimated" not in env.sql_query(QUERY).explain()
