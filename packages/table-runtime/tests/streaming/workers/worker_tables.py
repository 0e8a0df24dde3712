"""Statements over two tables, for tests of workers."""

from __future__ import annotations

from pathlib import Path

from table_api import TableEnvironment

__all__ = ["STATEMENTS", "with_tables"]

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


def with_tables(env: TableEnvironment, folder: Path) -> TableEnvironment:
    """Returns an environment with the tables in a folder."""
    for name in "tu":
        env.execute_sql(
            f"CREATE TABLE {name} (k INT, v BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
            f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / name}')"
        )
    return env
