"""Queries in event time: rows per second of processor time, for the operator alone and for a whole query from its text to the end of INSERT.

    python benchmarks/event_time.py [--rows 2000000] [--keys 10000] [--repeat 1] [--only tumble] [--smoke]

Rows are a millisecond apart, a tenth of them up to a second out of order; the watermark is two seconds behind, so no row is late. The first lines are the
rate at which watermarks are assigned. The operator gets the batches and watermarks that reached it in the query again, from memory. Each query runs over
a few rows before it is measured. The fastest of ``--repeat`` runs counts. One core: Arrow's pool has one thread.
"""

from __future__ import annotations

import argparse
import gc
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import Watermarks
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.state_expiry import StateExpiry
from table_runtime.streaming.operators.operator import AnyOperator, OperatorState, Output
from table_runtime.streaming.operators.stateless import StatelessChain
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner

START = 1_767_225_600_000
"""2026-01-01 00:00:00 in milliseconds."""
TIMES = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
TABLES = {
    "t": f"k BIGINT, v BIGINT, {TIMES}",
    "u": f"k BIGINT, v BIGINT, {TIMES}",
    "versions": f"k BIGINT, v BIGINT, {TIMES}, PRIMARY KEY (k) NOT ENFORCED",
}
WINDOW = "TABLE({}(TABLE t, DESCRIPTOR(ts), {}))"
GROUPED = f"SELECT window_end, k, COUNT(*), SUM(v) FROM {WINDOW} GROUP BY window_start, window_end, k"
QUERIES = {
    "tumble: count and sum": (GROUPED.format("TUMBLE", "INTERVAL '1' MINUTE"), "w TIMESTAMP(3), k BIGINT, c BIGINT, s BIGINT", 1, 5.0),
    "hop of 5 slides": (
        GROUPED.format("HOP", "INTERVAL '12' SECOND, INTERVAL '1' MINUTE"),
        "w TIMESTAMP(3), k BIGINT, c BIGINT, s BIGINT",
        1,
        3.0,
    ),
    "over rows": (
        "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) FROM t",
        "k BIGINT, s BIGINT",
        1,
        1.5,
    ),
    "over unbounded": ("SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t", "k BIGINT, s BIGINT", 1, 0.0),
    "interval join": (
        "SELECT t.k, t.v, u.v FROM t JOIN u ON t.k = u.k AND t.ts BETWEEN u.ts - INTERVAL '5' SECOND AND u.ts + INTERVAL '5' SECOND",
        "k BIGINT, v BIGINT, w BIGINT",
        2,
        1.0,
    ),
    "versioned join": (
        "SELECT t.k, t.v, r.v FROM t JOIN versions FOR SYSTEM_TIME AS OF t.ts AS r ON t.k = r.k",
        "k BIGINT, v BIGINT, w BIGINT",
        2,
        1.0,
    ),
    "first row by time": (
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t) WHERE n = 1",
        "k BIGINT, v BIGINT",
        1,
        0.0,
    ),
    "session": (
        GROUPED.format("SESSION", "INTERVAL '3' SECOND").replace("TABLE t", "TABLE t PARTITION BY k"),
        "w TIMESTAMP(3), k BIGINT, c BIGINT, s BIGINT",
        1,
        0.0,
    ),
}


class InputRows:
    """In-process data of one table."""

    def __init__(self, rows: int, keys: int, seed: int) -> None:
        chance = np.random.default_rng(seed)
        times = START + np.arange(rows)
        times = times - np.where(chance.random(rows) < 0.1, chance.integers(0, 1000, rows), 0)
        self.table = pa.table(
            {
                "k": chance.integers(0, keys, rows),
                "v": chance.integers(0, 1000, rows),
                "ts": pa.array(times, pa.timestamp("ms")),
            }
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the names of the queries to run")
    parser.add_argument("--smoke", action="store_true", help="few rows: does it run?")
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    rows = 4_000 if arguments.smoke else arguments.rows
    print(f"{'':28} {'operator':>10} {'query':>10} {'target':>10}  M rows per second of processor time")
    for name, apart in (("watermarks, 1 ms apart", 1), ("watermarks, each row", 300)):
        if arguments.only in name:
            assigned = max(_watermarks(rows, apart) for _ in range(arguments.repeat))
            print(f"{name:28} {assigned / 1e6:10.2f} {'':10} {50.0 if apart == 1 else 1.0:10.2f}")
    data = {name: InputRows(rows, arguments.keys, seed) for seed, name in enumerate(TABLES, 1)}
    few = {name: InputRows(4_000, 100, seed) for seed, name in enumerate(TABLES, 1)}
    for name, (query, sink, inputs, target) in QUERIES.items():
        if arguments.only in name:
            _seconds(query, sink, few)
            pushed = inputs * rows / min(_pushed(query, sink, data) for _ in range(arguments.repeat))
            queried = inputs * rows / min(_seconds(query, sink, data) for _ in range(arguments.repeat))
            print(f"{name:28} {pushed / 1e6:10.2f} {queried / 1e6:10.2f} {f'{target:10.2f}' if target else ''}", flush=True)


def _watermarks(rows: int, apart: int) -> float:
    """Returns the rows per second whose watermarks are assigned."""
    values = START + np.arange(rows) * apart
    watermarks = Watermarks(200)
    started = time.process_time()
    for start in range(0, rows, 1 << 16):
        watermarks.advance(values[start : start + (1 << 16)])
    return rows / max(time.process_time() - started, 1e-9)


class Recorder:
    """Notes what reaches the operator of a query behind its watermarks, and gives it to the operator again."""

    def __init__(self) -> None:
        self.operator: AnyOperator | None = None
        self._calls: list[tuple[ChangeBatch, int] | int] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listens to the query that runs meanwhile."""
        make = GraphRun.__init__

        def listen(run: GraphRun, graph: Graph, context: ExecutionContext, outputs: Sequence[Output]) -> None:
            self.operator = next(
                node.operator for node in reversed(graph.nodes) if not isinstance(node.operator, (StatelessChain, WatermarkAssigner))
            )
            process, on_watermark = self.operator.process, self.operator.on_watermark

            def noting_rows(batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
                self._calls.append((batch, input_index))
                process(batch, input_index, state, out)

            def noting_watermarks(watermark: int, state: OperatorState, out: Output) -> None:
                self._calls.append(watermark)
                on_watermark(watermark, state, out)

            self.operator.process, self.operator.on_watermark = noting_rows, noting_watermarks  # type: ignore[method-assign]
            make(run, graph, context, outputs)

        with mock.patch.object(GraphRun, "__init__", listen):
            yield
        assert self.operator is not None
        del self.operator.process, self.operator.on_watermark

    def seconds(self) -> float:
        """Returns the processor time of the operator, with the upkeep of its state."""
        operator = self.operator
        assert operator is not None
        with closing(ExecutionContext(parallelism=1)) as context:
            state = operator.create_state(context)
            expiry = StateExpiry(operator, (0,), context)
            gc.collect()
            started = time.process_time()
            for call in self._calls:
                if isinstance(call, int):
                    operator.on_watermark(call, state, _discard)
                    state.watermark = call
                else:
                    state = expiry.before_batch(state, 0)
                    operator.process(*call, state, _discard)
            return time.process_time() - started


def _discard(batch: ChangeBatch) -> None:
    """Takes what an operator emits."""


def _pushed(query: str, sink: str, data: dict[str, InputRows]) -> float:
    """Returns the processor time of the operator of a query."""
    recorder = Recorder()
    with recorder.listening():
        _seconds(query, sink, data)
    return recorder.seconds()


def _seconds(query: str, sink: str, data: dict[str, InputRows]) -> float:
    """Returns the processor time of a query over the tables, which are Parquet files."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true")
    with TemporaryDirectory() as folder:
        for name, columns in TABLES.items():
            path = Path(folder) / f"{name}.parquet"
            if re.search(rf"\b{name}\b", query):
                parquet.write_table(data[name].table, path)
            env.execute_sql(
                f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet')"
            )
        env.execute_sql(f"CREATE TEMPORARY TABLE sink ({sink}) WITH ('connector' = 'blackhole')")
        gc.collect()
        started = time.process_time()
        env.execute_sql(f"INSERT INTO sink {query}")
        seconds = time.process_time() - started
        env.close()
    return seconds


if __name__ == "__main__":
    main()
