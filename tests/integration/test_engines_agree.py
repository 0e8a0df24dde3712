"""A program returns the same rows on both engines, and each engine reads files of the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment, TableRuntimeException

MakeEnv = Callable[[str], TableEnvironment]

COLUMNS = "id INT, name STRING, pay DECIMAL(10, 2), score DOUBLE, ok BOOLEAN, born DATE, seen TIMESTAMP(3)"
ROWS = """
    SELECT * FROM (VALUES
        (1, 'ann', 10.50, 1.5e0, TRUE, DATE '1990-01-31', TIMESTAMP '2020-02-29 12:34:56.789'),
        (2, 'bób, "the" builder', 0.01, -0.25e0, FALSE, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999'),
        (3, '', 99999999.99, 1e300, CAST(NULL AS BOOLEAN), CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(3))),
        (4, CAST(NULL AS STRING), CAST(NULL AS DECIMAL(10, 2)), CAST(NULL AS DOUBLE), TRUE, DATE '2024-02-29', TIMESTAMP '2024-12-30 00:00:00')
    ) AS t(id, name, pay, score, ok, born, seen)"""

QUERIES = [
    "SELECT id, UPPER(name) AS n, pay * 2 AS p, CAST(born AS STRING) AS b, EXTRACT(YEAR FROM seen) AS y FROM t ORDER BY id",
    "SELECT ok, COUNT(*) AS n, SUM(pay) AS pay, AVG(score) AS score, MIN(name) AS first_name, MAX(seen) AS last_seen FROM t GROUP BY ok ORDER BY ok",
    "SELECT a.id, b.id AS other FROM t AS a LEFT JOIN t AS b ON a.id + 1 = b.id AND b.pay > 0.5 ORDER BY a.id",
    "SELECT COUNT(DISTINCT ok) AS n, SUM(CASE WHEN pay > 1 THEN 1 ELSE 0 END) AS rich FROM t WHERE id <> 2",
    "SELECT name FROM t WHERE name LIKE '%b%' OR name IS NULL ORDER BY name",
    "SELECT id FROM t ORDER BY score DESC, id LIMIT 2 OFFSET 1",
    "SELECT ok, born, COUNT(*) AS n FROM t GROUP BY ROLLUP (ok, born) ORDER BY ok, born, n",
    "SELECT id FROM t UNION SELECT 7 EXCEPT SELECT 2 ORDER BY id",
]


def create(env: TableEnvironment, path: Path, table_format: str, extra: str = "") -> None:
    null = ", 'csv.null-literal' = 'n/a'" if table_format == "csv" else ""  # an empty field is an empty text
    env.execute_sql(
        f"CREATE TABLE t ({COLUMNS}) {extra} WITH ('connector' = 'filesystem', 'format' = '{table_format}', 'path' = '{path}'{null})"
    )


@pytest.mark.parametrize("table_format", ["parquet", "csv", "json"])
@pytest.mark.parametrize(("writer", "reader"), [("arrow", "spark"), ("spark", "arrow")])
def test_each_engine_reads_the_files_of_the_other(make_env: MakeEnv, tmp_path: Path, table_format: str, writer: str, reader: str) -> None:
    write, read = make_env(writer), make_env(reader)
    for env in (write, read):
        create(env, tmp_path / "t", table_format)
    write.execute_sql(f"INSERT INTO t {ROWS}").wait()
    written = write.execute_sql("SELECT * FROM t ORDER BY id").to_arrow()
    assert read.execute_sql("SELECT * FROM t ORDER BY id").to_arrow().equals(written, check_metadata=True)
    expected = read.execute_sql(f"SELECT * FROM ({ROWS}) ORDER BY id").to_arrow().to_pylist()
    assert written.to_pylist() == expected


@pytest.mark.parametrize("query", QUERIES)
def test_both_engines_return_the_same_rows(make_env: MakeEnv, tmp_path: Path, query: str) -> None:
    results = []
    for planner in ("arrow", "spark"):
        env = make_env(planner)
        if planner == "arrow":
            create(env, tmp_path / "t", "parquet")
            env.execute_sql(f"INSERT INTO t {ROWS}").wait()
        else:
            create(env, tmp_path / "t", "parquet")
        results.append(env.execute_sql(query).to_arrow())
    assert results[0].to_pylist() == results[1].to_pylist()
    assert results[0].schema.equals(results[1].schema, check_metadata=True)


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_partitions_are_written_read_and_overwritten(make_env: MakeEnv, tmp_path: Path, planner: str) -> None:
    env = make_env(planner)
    create(env, tmp_path / "t", "parquet", "PARTITIONED BY (ok)")
    env.execute_sql(f"INSERT INTO t {ROWS}").wait()
    assert (tmp_path / "t" / "ok=true").is_dir()
    env.execute_sql(
        "INSERT OVERWRITE t PARTITION (ok = TRUE) SELECT 9, 'zoe', 1.00, 1e0, DATE '2000-01-01', TIMESTAMP '2000-01-01 00:00:00'"
    ).wait()
    rows = env.execute_sql("SELECT id, ok FROM t WHERE id <> 3 ORDER BY id").to_arrow().to_pylist()
    assert rows == [{"id": 2, "ok": False}, {"id": 9, "ok": True}]


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_a_failed_insert_does_not_change_the_table(make_env: MakeEnv, tmp_path: Path, planner: str) -> None:
    env = make_env(planner)
    create(env, tmp_path / "t", "parquet")
    env.execute_sql(f"INSERT INTO t {ROWS}").wait()
    before = sorted(path.name for path in (tmp_path / "t").iterdir())
    with pytest.raises(TableRuntimeException, match=r"(?i)division by zero|divide by zero"):
        env.execute_sql("INSERT INTO t SELECT 1 / (id - 3), name, pay, score, ok, born, seen FROM t").wait()
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == before
    assert env.execute_sql("SELECT COUNT(*) AS n FROM t").to_arrow().to_pylist() == [{"n": 4}]
