"""Streaming on Spark: CPU-seconds of the process tree (client, JVM and workers) per epoch, on ``local[2]``.

    python benchmarks/spark_streaming.py [--epochs 20] [--only NAME …] [--no-cache] [--smoke]

Each case is an INSERT into a blackhole over computed rows. Printed is the median of the second half of the epochs, from commit to commit. The cases are run one after the other in one Spark,
whose first epochs are slow. The last lines measure parts alone: the restore of a state from its map, and an exchange of a million rows as cells and as columns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))

import numpy as np
import pyarrow as pa
from harness.counted_rows import CountedRows, CountedSource, rows_of
from harness.process_tree import cpu_of_others
from pyspark.sql import SparkSession
from pyspark.sql import functions as fns
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from table_api import EnvironmentSettings, TableEnvironment
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.engine_session import local_session
from table_planner_spark.spark_internals import divide_bytes, make_bytes, map_bytes
from table_runtime.connectors.values import ValuesTableFactory
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.operators.exchange_keys import KeyColumns
from table_runtime.streaming.shares.exchange import Exchange
from table_runtime.streaming.shares.mapped_state import MapFolder, MappedState
from table_runtime.streaming.shares.wire import Cell, Kind, changes_of
from table_runtime.streaming.state.key_slots import KeySlots

SUMS = "SELECT k, SUM(v) AS s, COUNT(*) AS n FROM t GROUP BY k"
ABOVE = f"SELECT n, COUNT(*) AS c, SUM(s) AS s FROM ({SUMS}) GROUP BY n"
THREE = f"SELECT c, COUNT(*) AS n, SUM(s) AS s FROM ({ABOVE}) GROUP BY c"
FOUR = f"SELECT n, COUNT(*) AS c, SUM(s) AS s FROM ({THREE}) GROUP BY n"
JOIN = (
    "SELECT a.k, a.n, b.m FROM (SELECT k, COUNT(*) AS n FROM t WHERE v < 700 GROUP BY k) AS a "
    "LEFT JOIN (SELECT k, MAX(v) AS m FROM t WHERE v > 300 GROUP BY k) AS b ON a.k = b.k"
)


class Case(NamedTuple):
    """A statement and its rows: ``limit`` is the least M rows per CPU-second, ``most`` the most CPU-seconds."""

    query: str
    rows: int
    keys: int
    filled: int = 0
    limit: float | None = None
    most: float | None = None


CASES = {
    "first": Case(SUMS, 2_000, 1_000),  # Spark gets warm
    "sums of 10 k keys": Case(SUMS, 1_000_000, 10_000, limit=0.9),
    "sums of 1 M keys": Case(SUMS, 1_000_000, 1_000_000, 1_000_000, limit=0.55),
    "aggregate above aggregate": Case(ABOVE, 1_000_000, 1_000_000, 1_000_000, limit=0.35),
    "join of aggregates": Case(JOIN, 1_000_000, 10_000),
    "100 k rows of 10 k keys": Case(SUMS, 100_000, 10_000),
    "100 k rows of 10 M keys": Case(SUMS, 100_000, 10_000_000, 10_000_000),
    "2,000 rows, one level": Case(SUMS, 2_000, 1_000, most=0.8),
    "2,000 rows, two levels": Case(ABOVE, 2_000, 1_000),
    "2,000 rows, three levels": Case(THREE, 2_000, 1_000),
    "2,000 rows, four levels": Case(FOUR, 2_000, 1_000),
}
_IDLE_SECONDS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--only", nargs="*", help="names of cases; 'idle', 'growth', 'map' and 'exchange' are those of the last lines")
    parser.add_argument("--no-cache", action="store_true", help="keep no state on the machine")
    parser.add_argument("--parts", action="store_true", help="print the CPU-seconds of client, JVM and workers")
    parser.add_argument("--smoke", action="store_true", help="few rows, to see that it runs")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.epochs, arguments.only = 4, arguments.only or ["2,000 rows, two levels", "map", "exchange"]
    chosen = set(arguments.only or [*CASES, "idle", "growth", "map", "exchange"])
    spark = local_session("local[2]", {"spark.ui.enabled": "false", "spark.driver.memory": "2g"})
    figures = {name: measure(spark, name, case, arguments) for name, case in CASES.items() if name in chosen}
    small, large = figures.get("100 k rows of 10 k keys"), figures.get("100 k rows of 10 M keys")
    if small and large:
        print(f"100 k rows of 10 M keys against 10 k keys: {large / small:.2f} times (at most 1.3)")
    levels = [figures[name] for name in CASES if name.startswith("2,000") and name in figures]
    if len(levels) > 1:
        print(f"each level more: {', '.join(f'{b - a:.2f}' for a, b in pairwise(levels))} CPU-s (at most 0.5)")
    if "growth" in chosen:
        growth(spark, arguments)
    if "idle" in chosen:
        idle(spark, arguments)
    if "map" in chosen:
        restore(10_000 if arguments.smoke else 1_000_000)
    if "exchange" in chosen:
        exchange(spark, 10_000 if arguments.smoke else 1_000_000)
    spark.stop()


class Run:
    """A job that runs: the CPU-seconds at each commit."""

    def __init__(self, spark: SparkSession, case: Case, epochs: int, *, no_cache: bool) -> None:
        self.marks: list[tuple[float, float]] = []
        """Client, and all other processes."""
        self.rows = CountedRows(case.keys, case.rows, epochs, case.filled)
        self._done = threading.Event()
        self._wanted = epochs + -(-case.filled // 2_000_000)
        self._folder = tempfile.TemporaryDirectory(prefix="spark-streaming")
        ValuesTableFactory.create_dynamic_table_source = lambda *_: CountedSource(self.rows)  # type: ignore[method-assign]
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("spark").build()
        self.env = TableEnvironment.create(settings, external={"spark": spark})
        config = self.env.get_config()
        config.set("table.exec.sink.commit-interval", "1 ms").set("table.exec.spark.state-shares", "2").set("pipeline.name", "job")
        config.set("execution.checkpointing.dir", self._folder.name)
        if no_cache:
            config.set("table.exec.spark.state-cache", "0")
        self.env.execute_sql("CREATE TABLE t (k BIGINT, v BIGINT) WITH ('connector' = 'values')")
        schema = self.env.sql_query(case.query).get_resolved_schema()
        columns = ", ".join(f"{column.name} {column.data_type}" for column in schema.columns)
        self.env.execute_sql(f"CREATE TABLE o ({columns.replace(' NOT NULL', '')}) WITH ('connector' = 'blackhole')")
        failure_points.listeners.append(self._reached)
        self.client: Any = self.env.execute_sql(f"INSERT INTO o {case.query}").get_job_client()

    def _reached(self, point: str, epoch: int) -> None:
        if point == "planned" and not self.marks:
            self.marks.append(cpu())
        if point == "committed":
            self.marks.append(cpu())
            if len(self.marks) > self._wanted:
                self._done.set()

    def wait(self) -> list[tuple[float, float]]:
        """Waits for all epochs; returns the CPU-seconds of each."""
        while not self._done.wait(1):
            if self.client.get_job_status().is_terminal_state():
                self.client.get_job_execution_result().result()
        return [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(self.marks)]

    def close(self) -> None:
        """Ends the job."""
        self.client.end()
        self.client.get_job_execution_result().result()
        failure_points.listeners.remove(self._reached)
        self.env.close()
        self._folder.cleanup()


def cpu() -> tuple[float, float]:
    """Returns the CPU-seconds of this process, and of those that it has started."""
    own = time.process_time()
    return own, cpu_of_others(os.getpid())


def measure(spark: SparkSession, name: str, case: Case, arguments: argparse.Namespace) -> float:
    with closing(Run(spark, case, arguments.epochs, no_cache=arguments.no_cache)) as run:
        epochs = run.wait()
        metrics = run.client.metrics()
    second = epochs[-(arguments.epochs // 2) :]
    seconds = statistics.median(map(sum, second))
    rate = case.rows / 1e6 / seconds
    text = f"{name}: {seconds:.2f} CPU-s per epoch"
    text += f" (at most {case.most})" if case.most is not None else ""
    text += (
        f", {rate:.2f} M rows per CPU-s" + (f" (at least {case.limit})" if case.limit is not None else "") if case.rows > 100_000 else ""
    )
    mapped, read = metrics["Shares.numStatesMapped"], metrics["Shares.numStatesRead"]
    print(f"{text}; the first {sum(epochs[0]):.1f}; states from maps {mapped}, from files {read}", flush=True)
    if arguments.parts:
        client, others = (statistics.median(each[place] for each in second) for place in range(2))
        print(f"    client {client:.2f}, JVM and workers {others:.2f}", flush=True)
    return seconds


def growth(spark: SparkSession, arguments: argparse.Namespace) -> None:
    count = 8 if arguments.smoke else 64
    with closing(Run(spark, CASES["2,000 rows, two levels"], count, no_cache=arguments.no_cache)) as run:
        seconds = [sum(each) for each in run.wait()]
    width = count // 8
    early, late = statistics.median(seconds[width : 2 * width]), statistics.median(seconds[-width:])
    print(f"epochs {width} to {2 * width}: {early:.2f} CPU-s, {count - width} to {count}: {late:.2f}", flush=True)


def idle(spark: SparkSession, arguments: argparse.Namespace) -> None:
    with closing(Run(spark, CASES["2,000 rows, one level"], 3, no_cache=arguments.no_cache)) as run:
        run.wait()
        epochs, began = len(run.marks), sum(cpu())
        time.sleep(_IDLE_SECONDS)
        print(f"without rows: {len(run.marks) - epochs} epochs, {(sum(cpu()) - began) / _IDLE_SECONDS:.2f} CPU-s per second", flush=True)


class _Sums:
    """A state with keys and two columns."""

    def __init__(self, keys: int) -> None:
        self.keys = KeySlots([pa.int64()])
        self.keys.find_or_insert([pa.array(np.arange(keys))], keys)
        self.sums, self.counts = np.zeros(keys, np.int64), np.ones(keys, np.int64)


def restore(keys: int) -> None:
    """Loads a state from its map, as each epoch does."""
    nodes: list[Node] = []
    clock: Any = None
    states: Any = [_Sums(keys)]
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for token in range(9):
            mapped = MappedState.open(MapFolder(folder, 8 << 30), "0")
            assert mapped is not None
            began = time.process_time()
            if token:
                states = mapped.load(str(token - 1), nodes, clock)
                assert states is not None
                times.append(time.process_time() - began)
            assert mapped.save(str(token), states, nodes, clock)
            mapped.close()
    print(f"restore of {keys:,} keys from a map: {1000 * statistics.median(times):.1f} ms (at most 10)", flush=True)


_COLUMNS = StructType([StructField(name, LongType()) for name in ("k", "v", "seq")] + [StructField("part", IntegerType())])
_SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64()), ("seq", pa.int64())])


def _numbered(rows: int, task: int) -> Iterator[pa.RecordBatch]:
    """Yields the rows of one of two tasks, with a number each: their order is part of what an exchange gives."""
    start, end = task * rows // 2, (task + 1) * rows // 2
    for at in range(start, end, 65_536):
        batch = rows_of(at, min(end, at + 65_536), 1_000_000, 0)
        yield batch.append_column("seq", pa.array(np.arange(at, at + batch.num_rows)))


class _Cells:
    """Makes rows as cells, divided by their key."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __call__(self, task: int) -> Iterator[bytes]:
        exchange = Exchange(KeyColumns((0,)), 2, 0)
        for batch in _numbered(self.rows, task):
            exchange.add(ChangeBatch(batch))
        for number, (part, payload) in enumerate(exchange.finish()):
            yield Cell(part, 0, task, 0, number, Kind.ROWS, 0, 0, payload).to_bytes()


def _count_cells(_: int, contents: Iterator[bytes]) -> Iterator[bytes]:
    yield str(sum(changes.num_rows for content in contents for changes in changes_of(Cell.of(content).payload, _SCHEMA))).encode()


class _Columns:
    """Makes rows with the number of their part."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for rows in _numbered(self.rows, task):
                    yield rows.append_column("part", pa.array((np.asarray(rows.column(0)) % 2).astype(np.int32)))


def _count_columns(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_batches(batches).sort_by("seq")
    yield pa.record_batch([pa.array([table.num_rows])], ["rows"])


def exchange(spark: SparkSession, rows: int) -> None:
    access, session = adapter_of(spark), spark.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")

    def as_cells() -> int:
        cells = divide_bytes(make_bytes(spark.sparkContext, 2, _Cells(rows)), 2, Cell.part_of)
        return sum(map(int, map_bytes(cells, _count_cells).collect()))

    def as_columns() -> int:
        frame = access.map_in_arrow(session.range(0, 2, 1, 2), _Columns(rows), _COLUMNS, "make").repartitionById(2, fns.col("part"))
        counts = access.map_in_arrow(frame, _count_columns, StructType([StructField("rows", LongType())]), "take").collect()
        return sum(row[0] for row in counts)

    medians = []
    for run in (as_cells, as_columns):
        found = []
        for _ in range(9):
            began = sum(cpu())
            assert run() == rows
            found.append(sum(cpu()) - began)
        medians.append(statistics.median(found[4:]))
    cells, columns = medians
    print(
        f"exchange of {rows:,} rows: as cells {cells:.2f}, as columns {columns:.2f} CPU-s: {cells / columns:.2f} times (at most 0.5)",
        flush=True,
    )


if __name__ == "__main__":
    main()
