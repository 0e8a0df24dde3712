"""What waits for what: alignment groups and idle tables of SQL programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from table_api import TableEnvironment
from table_common.exceptions import ValidationException
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph import graph_run as graphs
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.time.alignment import Alignment

MakeEnv = Callable[..., TableEnvironment]

ALIGNED = "'scan.watermark.alignment.group' = 'g', 'scan.watermark.alignment.max-drift' = '10 s'"
BOTH = "SELECT k, ts, v FROM t UNION ALL SELECT k, ts, v FROM u"


def hint(options: str) -> str:
    return f"/*+ OPTIONS({options}) */"


def graph_of(env: TableEnvironment, query: str) -> Graph:
    """Runs a query and returns its graph."""
    found: list[Graph] = []
    run_graph = graphs.run_graph

    def run(graph: Graph, *arguments: Any) -> Iterator[None]:
        found.append(graph)
        return run_graph(graph, *arguments)

    with mock.patch.object(graphs, "run_graph", run):
        list(env.execute_sql(query).collect())
    return found[0]


@contextmanager
def single_rows() -> Iterator[None]:
    """Makes sources give one row at a time."""
    batches = graphs.batches_of
    with mock.patch.object(graphs, "batches_of", lambda source, rows, context: batches(source, 1, context)):
        yield


@pytest.fixture
def env(timed_env: MakeEnv) -> TableEnvironment:
    timed_env([("t", second, 1) for second in (0, 4, 8, 12, 40, 44)], delay=0)
    return timed_env([("u", second, 1) for second in (1, 11, 21, 31, 41)], delay=0, name="u")


def values_in_order(env: TableEnvironment, query: str) -> str:
    with single_rows(), env.execute_sql(query).collect() as rows:
        return "".join(row[0] for row in rows)


def test_tables_of_one_group_are_read_no_further_apart_than_the_drift(env: TableEnvironment) -> None:
    assert values_in_order(env, BOTH) == "ttttttuuuuu"
    query = f"SELECT k, ts, v FROM t {hint(ALIGNED)} UNION ALL SELECT k, ts, v FROM u {hint(ALIGNED)}"
    assert values_in_order(env, query) == aligned(0, 4, 8, 12, 40, 44, other=(1, 11, 21, 31, 41)) != "ttttttuuuuu"


def aligned(*times: int, other: tuple[int, ...], drift: int = 10) -> str:
    """The order of two tables read row by row: the first one as long as it is not ahead of the other by more than the drift."""
    queues, reached, result = {"t": list(times), "u": list(other)}, {"t": -1, "u": -1}, ""
    while queues:
        least = min(reached[name] for name in queues)
        name = next(name for name in queues if reached[name] == -1 or (least != -1 and reached[name] - least <= drift))
        if not queues[name]:
            del queues[name]
            continue
        reached[name] = queues[name].pop(0)
        result += name
    return result


def test_options_of_tables_hints_and_the_session_reach_the_sources(env: TableEnvironment) -> None:
    options = f"{ALIGNED}, 'scan.watermark.idle-timeout' = '5 s'"
    query = f"SELECT k, ts, v FROM t {hint(options)} UNION ALL SELECT k, ts, v FROM u"
    grouped, plain = graph_of(env, query).sources
    assert (grouped.alignment, grouped.idle_timeout) == (Alignment("g", 10_000), 5_000)
    assert (plain.alignment, plain.idle_timeout) == (None, 60_000)
    env.execute_sql("SET 'table.exec.source.idle-timeout' = '0'")
    env.execute_sql("ALTER TABLE t SET ('scan.watermark.idle-timeout' = '7 s')")
    assert [source.idle_timeout for source in graph_of(env, BOTH).sources] == [7_000, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("'scan.watermark.emit.strategy' = 'sometimes'", "takes one of 'on-periodic', 'on-event', but got 'sometimes'"),
        ("'scan.watermark.idle-timeout' = 'soon'", "scan.watermark.idle-timeout' takes a duration"),
        ("'scan.watermark.idle-timeout' = '-1 s'", "scan.watermark.idle-timeout' takes a duration"),
        ("'scan.watermark.alignment.update-interval' = 'x'", "update-interval' takes a duration"),
        ("'scan.watermark.alignment.group' = 'g'", "'scan.watermark.alignment.max-drift' is not set"),
        ("'scan.watermark.alignment.max-drift' = '1 s'", "'scan.watermark.alignment.group' is not set"),
        ("'scan.watermark.alignment.update-interval' = '1 s'", "'scan.watermark.alignment.group' is not set"),
    ],
)
def test_invalid_options_name_the_table(env: TableEnvironment, options: str, message: str) -> None:
    with pytest.raises(ValidationException, match=r"table .*t.* are not valid") as caught:
        env.execute_sql(f"SELECT k FROM t {hint(options)}")
    assert message in str(caught.value)


WATERMARKS = "SELECT v, CAST(CURRENT_WATERMARK(ts) AS STRING) FROM {table}"


def watermarks(env: TableEnvironment, options: str = "") -> list[str | None]:
    with env.execute_sql(WATERMARKS.format(table=f"w {hint(options)}" if options else "w")).collect() as rows:
        return [row[1] and row[1][-6:] for row in rows]


def test_watermarks_are_emitted_by_the_interval_or_after_every_row(env: TableEnvironment, tmp_path: Any) -> None:
    """The watermarks of the interval are those of Flink 2.3."""
    times = ("01.000", "01.100", "01.150", "01.300", "01.301")
    (tmp_path / "w.csv").write_text("".join(f"2024-01-01 00:00:{time},1\n" for time in times))
    env.execute_sql(
        f"CREATE TABLE w (ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'w.csv'}', "
        "'format' = 'csv')"
    )
    every_row = [None, *times[:-1]]
    assert watermarks(env) == [None, "01.000", "01.000", "01.000", "01.300"]
    assert watermarks(env, "'scan.watermark.emit.strategy' = 'on-event'") == every_row
    env.execute_sql("SET 'pipeline.auto-watermark-interval' = '0'")
    assert watermarks(env, "'scan.watermark.emit.strategy' = 'on-periodic'") == every_row
    env.execute_sql("SET 'pipeline.auto-watermark-interval' = '1 min'")
    assert watermarks(env) == [None, *["01.000"] * 4]


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


def test_a_table_that_does_not_change_does_not_hold_back_a_join(timed_env: MakeEnv) -> None:
    """Reads two tables as unbounded sources: after the timeout the join continues without the one that has no rows."""
    timed_env([("a", second, second) for second in (10, 20, 30)], delay=0)
    env = timed_env([("a", 5, 100)], delay=0, name="u")
    env.execute_sql(
        "CREATE VIEW rates AS SELECT k, ts, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM u) WHERE n = 1"
    )
    query = "SELECT t.v, r.v AS rate FROM t JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.k = r.k"
    emitted: list[list[int]] = []

    def run(graph: Graph, context: Any, outputs: Any) -> Iterator[None]:
        clock = Clock()

        def receive(batch: ChangeBatch) -> None:
            emitted[-1].extend(batch.rows.column(0).to_pylist())
            outputs[0](batch)

        run = GraphRun(graph, context, [receive])
        run.start()
        order = ReadingOrder(graph.sources, run, clock, by_watermark=range(len(graph.sources)))
        rows = [[batch for batch in source.scan.batches(context) if batch.num_rows] for source in graph.sources]
        ((facts,), _) = rows if rows[0][0].num_rows == 3 else rows[::-1]
        given = {
            0: [[facts.slice(0, 2)] if batches[0] is facts else batches for batches in rows],
            59_999: [[facts.slice(2)] if batches[0] is facts else [] for batches in rows],
            60_000: [[], []],
        }
        for clock.now, batches_of in given.items():
            emitted.append([])
            for number, batches in enumerate(batches_of):
                for batch in batches:
                    order.has_rows(number)
                    run.push(graph.sources[number].edges, ChangeBatch(batch))
                order.caught_up(number)
            assert order.next() is None
        emitted.append([])
        for source in graph.sources:
            run.end(source.edges)
        yield

    with mock.patch.object(graphs, "run_graph", run):
        rows = sorted(tuple(row) for row in env.execute_sql(query).collect())
    assert rows == [(10, 100), (20, 100), (30, 100)]
    assert emitted == [[], [], [10, 20, 30], []]
