"""Operators and their states can go to other processes as plain pickles, which hold no node of the plan and so no option of a table, such as a password."""

from __future__ import annotations

import io
import pickle
import pickletools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark import cloudpickle

from table_api import EnvironmentSettings, TableEnvironment
from table_common.functions import AggregateFunction, ScalarFunction
from table_runtime.planner.streaming import translate
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun

SECRET = "zebra-crossing"
"""An option value of each table: a part of its path."""
FILES, ROWS = 5, 40
WINDOW = "GROUP BY window_start, window_end, k"
QUERIES = {
    "chain": "SELECT UPPER(m), n * 2, x FROM (SELECT k, COUNT(*) AS n, MAX(name) AS m FROM t WHERE v > 3 AND name LIKE '%b%' GROUP BY k) "
    "CROSS JOIN UNNEST(ARRAY[k, 7]) AS u(x) WHERE n > 1",
    "aggregate": "SELECT k, COUNT(*), SUM(v), MAX(name), COUNT(DISTINCT g), LISTAGG(name) FROM t GROUP BY k",
    "aggregate of changes": "SELECT n, MAX(k), MIN(k) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) GROUP BY n",
    "grouping sets": "SELECT k, g, COUNT(*) FROM t GROUP BY GROUPING SETS ((k), (g), ())",
    "functions of the user": "SELECT k, total(v), longest(ARRAY[name]), MAX(twice(v)) FROM t GROUP BY k",
    "tumble": f"SELECT window_start, k, SUM(v) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) {WINDOW}",
    "tumble of texts": f"SELECT window_start, k, LISTAGG(name) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) {WINDOW}",
    "hop": f"SELECT window_start, k, SUM(v) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) {WINDOW}",
    "cumulate": f"SELECT window_end, k, SUM(v) FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) {WINDOW}",
    "session": f"SELECT window_start, k, SUM(v) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND)) {WINDOW}",
    "rows of windows": "SELECT k, v, window_start FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))",
    "join of windows": "SELECT a.k, b.v FROM (SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))) a JOIN "
    "(SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))) b "
    "ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end",
    "top of windows": "SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC, id) r FROM "
    "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE r <= 2",
    "join": "SELECT a.id, b.id FROM t a JOIN t b ON a.k = b.k AND a.v > b.v",
    "outer join": "SELECT a.id, b.v FROM t a LEFT JOIN (SELECT k, MAX(v) AS v FROM t GROUP BY k) b ON a.k = b.k",
    "interval join": "SELECT a.id, b.id FROM t a JOIN t b ON a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '3' SECOND",
    "versioned join": "SELECT a.id, r.v FROM t a JOIN r FOR SYSTEM_TIME AS OF a.ts ON a.k = r.k",
    "semi join": "SELECT id FROM t WHERE k IN (SELECT g FROM t)",
    "over": "SELECT id, SUM(v) OVER w, LAG(v) OVER (PARTITION BY k ORDER BY ts) FROM t "
    "WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "updating over": "SELECT k, SUM(n) OVER (PARTITION BY k ORDER BY g) FROM (SELECT k, g, COUNT(*) n FROM t GROUP BY k, g)",
    "top": "SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, id) r FROM t) WHERE r <= 3",
    "top of changes": "SELECT k, n FROM (SELECT k, n, ROW_NUMBER() OVER (ORDER BY n DESC, k) r FROM (SELECT k, COUNT(*) n FROM t GROUP BY k)) WHERE r <= 2",
    "last rows": "SELECT id, k FROM (SELECT id, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) r FROM t) WHERE r = 1",
    "distinct": "SELECT DISTINCT k, g FROM t",
    "union": "SELECT k FROM t UNION SELECT g FROM t",
    "intersect": "SELECT k FROM t INTERSECT ALL SELECT g FROM t",
    "except": "SELECT k FROM t EXCEPT SELECT g FROM t WHERE g > 3",
    "sorted by time": "SELECT id, ts FROM t ORDER BY ts, id",
    "changes as rows": "SELECT * FROM TO_CHANGELOG(TABLE totals)",
    "pattern": "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS a, B.v AS b "
    "PATTERN (A+ B) DEFINE A AS A.v < 10, B AS B.v >= 10)",
}


class Total(AggregateFunction[int, list[int]]):
    """A sum in a list."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Longest(AggregateFunction[int, list[str]]):
    """The length of all texts in arrays."""

    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], values: list[str]) -> None:
        accumulator += values

    def get_value(self, accumulator: list[str]) -> int:
        return len("".join(accumulator))


class Twice(ScalarFunction):
    """A scalar function."""

    def eval(self, value: int) -> int:
        return 2 * value


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableEnvironment]:
    """Tables of some files each, so that a query reads several batches."""
    folder = tmp_path_factory.mktemp(SECRET)
    chosen = random.Random(7)
    for name in ("t", "r"):
        (folder / name).mkdir()
        for number in range(FILES):
            ids = range(number * ROWS, (number + 1) * ROWS)
            lines = [
                f"{i},{chosen.randint(1, 6)},{chosen.randint(1, 6)},{chosen.randint(0, 15)},{chosen.choice('abc')},{i * 700}" for i in ids
            ]
            (folder / name / f"{number}.csv").write_text("\n".join(lines) + "\n")
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.get_config().set("table.local-time-zone", "UTC")
    columns = (
        "id INT, k INT, g INT, v BIGINT, name STRING, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
    )
    for name in ("t", "r_rows"):
        path = folder / name.partition("_")[0]
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')")
    env.execute_sql(
        "CREATE VIEW r AS SELECT k, v, ts FROM (SELECT k, v, ts, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM r_rows) WHERE n = 1"
    )
    env.execute_sql("CREATE VIEW totals AS SELECT k, SUM(v) AS v FROM t GROUP BY k")
    env.create_temporary_function("total", Total())
    env.create_temporary_function("longest", Longest())
    env.create_temporary_function("twice", Twice())
    yield env
    env.close()


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """The graphs that are made."""
    made: list[Graph] = []
    add = translate._Translation.add

    def recorded(self: Any, roots: Any) -> None:
        add(self, roots)
        made.append(self.graph)

    monkeypatch.setattr(translate._Translation, "add", recorded)
    return made


@pytest.mark.parametrize("name", QUERIES)
def test_a_pickled_operator_names_no_node_and_no_option(name: str, env: TableEnvironment, graphs: list[Graph]) -> None:
    env.explain_sql(QUERIES[name])
    operators = [node.operator for graph in graphs for node in graph.nodes]
    assert operators
    for operator in operators:
        for content in (pickle.dumps(operator), cloudpickle.dumps(operator)):  # type: ignore[no-untyped-call]
            texts = {argument for _, argument, _ in pickletools.genops(content) if isinstance(argument, str)}
            modules = {text for text in texts if text.startswith("table_")}
            assert {module.partition(".")[0] for module in modules if "." in module} <= {"table_common", "table_runtime"}, operator
            assert SECRET.encode() not in content, operator


class _Pickler(pickle.Pickler):
    """All but the context of the run, which each process has of its own."""

    def persistent_id(self, obj: Any) -> Any:
        return "context" if isinstance(obj, ExecutionContext) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, context: ExecutionContext) -> None:
        super().__init__(io.BytesIO(content))
        self._context = context

    def persistent_load(self, pid: Any) -> Any:
        return self._context


def copied(value: Any, context: ExecutionContext) -> Any:
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return _Unpickler(buffer.getvalue(), context).load()


def changes_of(env: TableEnvironment, query: str) -> Counter[str]:
    with env.execute_sql(query).collect() as rows:
        return Counter(f"{row.get_row_kind()} {row}" for row in rows)


@pytest.mark.parametrize("name", QUERIES)
def test_states_that_are_pickled_between_batches_give_the_same_changes(
    name: str, env: TableEnvironment, graphs: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = changes_of(env, QUERIES[name])
    pushes, push = 0, GraphRun.push

    def pickling(self: GraphRun, *arguments: Any, **named: Any) -> None:
        nonlocal pushes
        pushes += 1
        push(self, *arguments, **named)
        self._states[:] = [copied(state, state.context) for state in self._states]

    monkeypatch.setattr(GraphRun, "push", pickling)
    assert changes_of(env, QUERIES[name]) == expected
    assert expected
    assert pushes > 1
