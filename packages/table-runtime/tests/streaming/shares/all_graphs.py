"""Graphs of statements in which all operators occur."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from functions_of_graphs import Added, Met, Numbered, Shouted

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation, ModifyOperation, QueryOperation
from table_api.plan.optimizer import optimize_stream
from table_runtime.planner.streaming import stream_graph
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming import operators
from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.operator import ChangelogOperator

__all__ = ["SECRET", "STATEMENTS", "Graphs", "operator_classes", "rows_of", "table_of", "tables_of"]

SECRET = "a-secret-of-a-table"
TUMBLE = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
WINDOW = "window_start, window_end"
ON = f"x.k = y.k AND {' AND '.join(f'x.{column} = y.{column}' for column in WINDOW.split(', '))}"
T = TUMBLE.format("t")
RANKED = "SELECT k, v, s, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS r FROM {}) WHERE r {}"
COUNTS = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
GREATEST = "SELECT MAX(v) AS m, k FROM u GROUP BY k"
STATEMENTS = {
    "groups": "SELECT k, SUM(v), COUNT(DISTINCT s), LISTAGG(s) FROM t GROUP BY k",
    "covariances": "SELECT k, COVAR_POP(v, v), COVAR_SAMP(v, k) FILTER (WHERE v > 1) FROM c GROUP BY k",
    "grouping sets": "SELECT k, s, SUM(v) FROM t GROUP BY GROUPING SETS ((k, s), (k))",
    "rollup": "SELECT k, s, SUM(v) FROM t GROUP BY ROLLUP (k, s)",
    "no groups": "SELECT COUNT(*), MAX(v) FROM c",
    "slices": f"SELECT window_start, s, k, COUNT(*) FROM {T} GROUP BY {WINDOW}, s, k",
    "slices without keys": f"SELECT window_start, SUM(v) FROM {T} GROUP BY {WINDOW}",
    "slices in sets": f"SELECT window_start, s, k, COUNT(*) FROM {T} GROUP BY GROUPING SETS (({WINDOW}, s, k), ({WINDOW}, k))",
    "windows": f"SELECT window_start, k, COUNT(DISTINCT v), LISTAGG(s) FROM {T} GROUP BY {WINDOW}, k",
    "windows in any order": f"SELECT window_start, k, COUNT(DISTINCT v), MAX(s) FROM {T} GROUP BY {WINDOW}, k",
    "early windows": "SELECT TUMBLE_START(ts, INTERVAL '10' SECOND), k, COUNT(*) FROM t GROUP BY TUMBLE(ts, INTERVAL '10' SECOND), k",
    "sessions": f"SELECT {WINDOW}, k, COUNT(*) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '4' SECOND)) GROUP BY {WINDOW}, k",
    "window rank": RANKED.format(f"{WINDOW}, k", "v, s", T, "< 3"),
    "window join": f"SELECT x.k, y.v FROM {T} AS x LEFT JOIN {TUMBLE.format('u')} AS y ON {ON}",
    "join": "SELECT a.k, b.v FROM t AS a LEFT JOIN u AS b ON a.k = b.k AND a.v < b.v",
    "join of other types": "SELECT a.k, b.v FROM t AS a JOIN u AS b ON a.v = b.k AND UPPER(a.s) = b.s",
    "cross join": "SELECT a.k, b.v FROM t AS a JOIN u AS b ON a.v < b.v",
    "interval join": "SELECT a.k, b.v FROM t AS a JOIN u AS b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts",
    "versioned join": "SELECT a.k, b.v FROM t AS a LEFT JOIN c FOR SYSTEM_TIME AS OF a.ts AS b ON a.k = b.k",
    "current rows": "SELECT a.k, b.v FROM t AS a JOIN c FOR SYSTEM_TIME AS OF a.p AS b ON a.k = b.k",
    "distinct": "SELECT DISTINCT k, s FROM t",
    "intersection": "SELECT k, v FROM t INTERSECT SELECT v, k FROM u",
    "rank": RANKED.format("k", "v, s", "t", "< 3"),
    "limit": "SELECT k, v FROM t ORDER BY v LIMIT 3",
    "top row": "SELECT k, v FROM (" + RANKED.format("k", "v", "t", "= 1") + ")",
    "first row": "SELECT k, v FROM (" + RANKED.format("k", "p", "t", "= 1") + ")",
    "last row": "SELECT k, v FROM (" + RANKED.format("k", "p DESC", "t", "= 1") + ")",
    "first row by time": "SELECT k, v FROM (" + RANKED.format("k", "ts", "t", "= 1") + ")",
    "last row by time": "SELECT k, v FROM (" + RANKED.format("k", "ts DESC", "t", "= 1") + ")",
    "over": "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "updating over": "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM t",
    "sort by time": "SELECT k, v FROM t ORDER BY ts, v",
    "sort at the end": "SELECT k, n FROM n ORDER BY n DESC, k",
    "pattern": "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS f PATTERN (A+ B) DEFINE A AS A.v < 4, B AS B.v > 1)",
    "union": "SELECT k, v + 1, UPPER(s) FROM (SELECT k, v, s FROM t UNION ALL SELECT k, v, s FROM u) WHERE v NOT IN (SELECT v FROM c)",
    "process table function": "SELECT * FROM numbered(r => (SELECT k, v, s, ts FROM t) PARTITION BY k, step => 2, on_time => DESCRIPTOR(ts))",
    "process table function of two tables": "SELECT * FROM met(a => (SELECT k, v FROM t) PARTITION BY k, b => (SELECT k, v FROM u) PARTITION BY k)",
    "process table function of rows": "SELECT * FROM shouted((SELECT k, s FROM t))",
    "process table function of many rows": "SELECT * FROM added(r => (SELECT k, v, s, ts FROM t) PARTITION BY k, step => 2, on_time => DESCRIPTOR(ts))",
    "changes as rows": "SELECT * FROM TO_CHANGELOG(TABLE n)",
    "rows as changes": "SELECT k, SUM(v) FROM FROM_CHANGELOG(TABLE o) GROUP BY k",
    "sink with a key": "INSERT INTO d SELECT v, k FROM (SELECT k, SUM(v) AS v FROM t GROUP BY k)",
    "join of aggregates": f"SELECT a.k, a.n, b.m FROM ({COUNTS}) AS a LEFT JOIN ({GREATEST}) AS b ON a.k = b.k",
    "join of aggregates by another column": f"SELECT a.k, a.n, b.m FROM ({COUNTS}) AS a JOIN ({GREATEST}) AS b ON a.n = b.m",
    "aggregate of a join of aggregates": f"SELECT a.n, COUNT(*), SUM(b.m) FROM ({COUNTS}) AS a LEFT JOIN ({GREATEST}) AS b ON a.k = b.k GROUP BY a.n",
    "distinct of an aggregate": f"SELECT DISTINCT j FROM (SELECT k AS j, n + 1 AS n FROM ({COUNTS}) WHERE n > 1)",
    "total of a total": "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM t)",
    "join of computed keys": f"SELECT a.k, a.n, b.m FROM ({COUNTS}) AS a JOIN ({GREATEST}) AS b ON a.k + 0 = b.k",
    "nested keys": "SELECT COUNT(*), MAX(v) FROM t GROUP BY ARRAY[s, 'z'], ROW(k, s)",
    "join of nested keys": "SELECT a.k, b.v FROM t AS a LEFT JOIN u AS b ON ARRAY[a.s] = ARRAY[b.s]",
    "aggregate of aggregate": "SELECT n, COUNT(*) AS c FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) GROUP BY n",
}


class Graphs:
    """Graphs of statements, as another engine gets them."""

    def __init__(self, folder: Path) -> None:
        self._env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        columns = "k INT, v BIGINT, s STRING, ts TIMESTAMP(3)"
        timed = f"{columns}, p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
        options = f"'connector' = 'filesystem', 'path' = '{folder}/{SECRET}', 'format' ="
        for name in "tu":
            self._env.execute_sql(f"CREATE TABLE {name} ({timed}) WITH ({options} 'json')")
        self._env.execute_sql(
            f"CREATE TABLE c ({columns}, PRIMARY KEY (k) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH ({options} 'debezium-json')"
        )
        self._env.execute_sql(f"CREATE TABLE e ({columns}, PRIMARY KEY (k) NOT ENFORCED) WITH ({options} 'debezium-json')")
        self._env.execute_sql(f"CREATE TABLE o (op STRING, k INT, v BIGINT) WITH ({options} 'json')")
        self._env.execute_sql("CREATE TABLE d (v BIGINT, k INT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = 'd')")
        self._env.get_config().set("table.exec.sink.require-on-conflict", "false").set("table.exec.emit.early-fire.delay", "5 s")
        for function in (Numbered, Met, Shouted, Added):
            self._env.create_temporary_system_function(function.__name__.lower(), function())
        self._env.execute_sql("CREATE VIEW n AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")

    def of(self, statement: str) -> Graph:
        """Returns the graph of a statement."""
        session: Any = self._env.session
        self._env.get_config().set("table.exec.emit.early-fire.enabled", str("TUMBLE(ts" in statement).lower())
        operation = session.parse(statement)
        operations: Sequence[ModifyOperation] = [CollectModifyOperation(operation) if isinstance(operation, QueryOperation) else operation]
        plan = optimize_stream(operations, session, session.planner)
        assert plan is not None, statement
        return stream_graph(plan, self._env.get_config())

    def close(self) -> None:
        """Ends the environment."""
        self._env.close()


def operator_classes() -> Iterator[type]:
    """Yields all classes of operators of the project, found by a walk over their modules."""
    for module in pkgutil.iter_modules(operators.__path__):
        importlib.import_module(f"{operators.__name__}.{module.name}")
    waiting: list[Any] = [ChangelogOperator]
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith(operators.__name__) and not getattr(found, "__abstractmethods__", None):
            yield found


def rows_of(source: Source, chance: random.Random, count: int, *, delay: int = 0) -> ChangeBatch:
    """Returns random rows of a source, whose times go forward, and back by up to ``delay`` seconds; a table with kinds is changed by its key ``k``."""
    now, rows, kinds = datetime(2024, 1, 1), list[dict[str, Any]](), list[int]()
    present: dict[int, dict[str, Any]] = {}
    for _ in range(count):
        now += timedelta(seconds=chance.choice([1, 1, 3] if source.has_kinds else [0, 1, 1, 3]))
        time = now - timedelta(seconds=0 if source.has_kinds else chance.randrange(delay + 1))
        row = {"k": chance.randrange(9), "v": chance.randrange(6), "s": chance.choice("abcde"), "ts": time, "op": "INSERT"}
        old = present.pop(row["k"], None) if source.has_kinds else None
        if old is None:
            rows.append(row)
            kinds.append(INSERT)
        elif chance.random() < 0.3:
            rows.append({**old, "ts": time})
            kinds.append(DELETE)
            continue
        else:
            rows += [old, row]
            kinds += [UPDATE_BEFORE, UPDATE_AFTER]
        present[row["k"]] = row
    batch = pa.RecordBatch.from_pylist([{name: row[name] for name in source.schema.names} for row in rows], schema=source.schema)
    return ChangeBatch(batch, np.array(kinds, np.int8) if source.has_kinds else None)


def table_of(changes: Sequence[ChangeBatch]) -> Counter[tuple[Any, ...]]:
    """Returns how often each row is in the table that results from changes."""
    count: Counter[tuple[Any, ...]] = Counter()
    for batch in changes:
        for sign, row in zip(batch.signs.tolist(), zip(*(column.to_pylist() for column in batch.rows.columns), strict=True), strict=True):
            count[row] += sign
    return Counter({row: number for row, number in count.items() if number})


def tables_of(graph: Graph, inputs: Sequence[ChangeBatch], outputs: int = 1) -> list[Counter[tuple[Any, ...]]]:
    """Returns the tables of the outputs of a run in one piece."""
    results: list[list[ChangeBatch]] = [[] for _ in range(outputs)]
    with closing(ExecutionContext(parallelism=1)) as context:
        run = GraphRun(graph, context, [part.append for part in results])
        run.start()
        for source, batch in zip(graph.sources, inputs, strict=True):
            run.push(source.edges, batch)
        for source in graph.sources:
            run.end(source.edges)
    return [table_of(part) for part in results]
