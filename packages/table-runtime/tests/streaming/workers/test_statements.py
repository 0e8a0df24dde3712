"""Statements in several workers: their final tables are those of one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from worker_functions import divided

from table_api import TableEnvironment
from table_common.exceptions import TableError

TUMBLE = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
STATEMENTS = {
    "groups": "SELECT k, SUM(v), COUNT(DISTINCT s), MAX(ts) FROM t GROUP BY k",
    "no groups": "SELECT COUNT(*), MAX(v) FROM t",
    "distinct": "SELECT DISTINCT k, s FROM t",
    "aggregate of an aggregate": "SELECT n, COUNT(*) FROM (SELECT k, s, COUNT(*) AS n FROM t GROUP BY k, s) GROUP BY n",
    "join": "SELECT a.k, a.v, b.v FROM t AS a LEFT JOIN u AS b ON a.k = b.k AND a.v < b.v",
    "top row above a join": "SELECT k, v, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, w DESC) AS n FROM "
    "(SELECT a.k, a.v, b.v AS w FROM t AS a JOIN u AS b ON a.k = b.k)) WHERE n = 1",
    "join of aggregates": "SELECT a.k, a.n, b.m FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS a "
    "FULL JOIN (SELECT MAX(v) AS m, k FROM u GROUP BY k) AS b ON a.n = b.k",
    "ranks": "SELECT k, v, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, s, ts) AS r FROM t) WHERE r < 4",
    "windows": f"SELECT window_start, k, COUNT(*), SUM(v) FROM {TUMBLE.format('t')} GROUP BY window_start, window_end, k",
    "window join": f"SELECT x.k, y.v FROM {TUMBLE.format('t')} AS x JOIN {TUMBLE.format('u')} AS y "
    "ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end",
    "sessions": "SELECT window_start, k, COUNT(*) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '4' SECOND)) "
    "GROUP BY window_start, window_end, k",
    "interval join": "SELECT a.k, a.v, b.v FROM t AS a JOIN u AS b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts",
    "over": "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "sort": "SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) ORDER BY n DESC, k LIMIT 3",
    "union": "SELECT k, SUM(v) FROM (SELECT k, v FROM t UNION ALL SELECT k, v FROM u) GROUP BY k",
    "not in": "SELECT k, v FROM t WHERE v NOT IN (SELECT v FROM u WHERE v < 3)",
    "pattern": "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS f PATTERN (A+ B) "
    "DEFINE A AS A.v < 4, B AS B.v > 1)",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, chance = tmp_path_factory.mktemp("tables"), random.Random(3)
    for name in "tu":
        now = datetime(2024, 1, 1)
        for part in range(4):
            lines = []
            for _ in range(60):
                now += timedelta(seconds=chance.choice([0, 1, 1, 2]), milliseconds=1)
                row = {"k": chance.randrange(9), "v": chance.randrange(6), "s": chance.choice("abcde"), "ts": f"{now}"[:23]}
                lines.append(json.dumps(row))
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{part}.json").write_text("\n".join(lines))
    return folder


def with_tables(env: TableEnvironment, folder: Path) -> TableEnvironment:
    for name in "tu":
        env.execute_sql(
            f"CREATE TABLE {name} (k INT, v BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
            f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / name}')"
        )
    return env


def test_final_tables_are_those_of_one_worker(environments: Any, tables: Path, table_of: Callable[[Any], Any]) -> None:
    one, two, four = (with_tables(environments(workers), tables) for workers in (1, 2, 4))
    for name, statement in STATEMENTS.items():
        assert "2 workers" in two.explain_sql(statement), name
        expected = table_of(one.execute_sql(statement))
        assert expected, name
        assert table_of(two.execute_sql(statement)) == expected, name
        if name in ("groups", "join", "windows", "ranks"):
            assert table_of(four.execute_sql(statement)) == expected, name


def test_inserts_whose_inputs_end_write_each_row_once(environments: Any, tables: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        env, out = with_tables(environments(workers), tables), tmp_path / str(workers)
        env.execute_sql(f"CREATE TABLE o (k INT, n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{out}')")
        env.execute_sql(f"CREATE TABLE m (k INT, v BIGINT) WITH ('connector' = 'memory', 'name' = 'workers {workers}')")
        statements = env.create_statement_set()
        statements.add_insert_sql("INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k")
        statements.add_insert_sql("INSERT INTO m SELECT a.k, b.v FROM t AS a JOIN u AS b ON a.k = b.k AND a.v = b.v")
        statements.execute().wait()
        env.get_config().set("execution.runtime-mode", "batch")
        found.append([sorted(map(str, env.execute_sql(f"SELECT * FROM {name}").to_arrow().to_pylist())) for name in "om"])
    assert all(found[0])
    assert found[0] == found[1]


def test_an_error_of_a_function_is_that_of_one_worker(environments: Any, tables: Path) -> None:
    texts = []
    for workers in (1, 2):
        env = with_tables(environments(workers), tables)
        env.create_temporary_system_function("divided", divided)
        with pytest.raises(TableError) as caught:
            env.execute_sql("SELECT k, SUM(divided(v)) FROM t WHERE v = 0 GROUP BY k").to_arrow()
        texts.append(str(caught.value))
    assert "ZeroDivisionError" in texts[0]
    assert texts[0] == texts[1]


def test_a_plan_says_why_it_has_one_worker(environments: Any, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = with_tables(environments(2), tables)
    env.execute_sql("CREATE VIEW n AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")
    assert "One worker: the statement reads each change" in env.explain_sql("SELECT * FROM TO_CHANGELOG(TABLE n)")
    env.get_config().set("table.exec.state.memory", "1 gb")
    assert "One worker: 'table.exec.state.memory' is the limit of one process." in env.explain_sql("SELECT * FROM n")
    text = with_tables(environments(1), tables).explain_sql("SELECT DISTINCT k FROM t")
    assert "worker" not in text
