"""In-process data on Spark: many queries over ``from_arrow``, compared with ``createDataFrame``; and ``from_elements``.

    python benchmarks/in_process_data.py [--rows 5000000] [--queries 50] [--paired 8] [--elements 200000] [--smoke]

Spark has its default memory. Each kind of query first runs over both without being measured. Then the first ``--paired`` queries run over both,
alternately, each after a garbage collection: a query that finds a heap just collected takes up to a quarter longer than the one after it. The
results are the minimum and the median of each, in wall-clock time and in processor time of this process and the JVM. Memory is the heap usage of
the JVM after a garbage collection.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable

import pyarrow as pa
from pyspark import SparkContext
from pyspark.sql import SparkSession

from table_api import EnvironmentSettings, TableEnvironment

QUERIES = {
    "sort": "SELECT MAX(r) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY d, s) AS r FROM v)",
    "union": "SELECT COUNT(*), MAX(s) FROM (SELECT i, s FROM v UNION SELECT i, s FROM v)",
    "intersect": "SELECT COUNT(*), MAX(s) FROM (SELECT i, s FROM v INTERSECT ALL SELECT i, s FROM v)",
    "join": "SELECT COUNT(*), MAX(a.s) FROM v a JOIN v b ON a.i = b.x",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--paired", type=int, default=24)
    parser.add_argument("--elements", type=int, default=200_000)
    parser.add_argument("--smoke", action="store_true", help="few rows and queries, as a smoke test")
    arguments = parser.parse_args()
    rows, queries, elements = (2_000, 4, 500) if arguments.smoke else (arguments.rows, arguments.queries, arguments.elements)
    paired = min(arguments.paired, queries)
    for planner in ("arrow", "spark"):
        _elements(planner, elements)
    env = _environment("spark")
    data = _data(rows)
    env.create_temporary_view("v", env.from_arrow(data))
    _run_ours(env, "SELECT COUNT(*) FROM v")
    # A separate session with the same options, so that only the transfer of the rows differs.
    spark = SparkSession.builder.getOrCreate()
    for key in ("spark.sql.ansi.enabled", "spark.sql.shuffle.partitions"):
        spark.conf.set(key, SparkContext.getOrCreate().getConf().get(key, spark.conf.get(key)))
    spark.createDataFrame(data).createOrReplaceTempView("v")
    spark.sql("SELECT COUNT(*) FROM v").collect()
    print(f"{rows} rows of {data.nbytes / 1e6:.0f} MB; the heap may have {_heap()[1]} MB, and holds {_heap()[0]} MB with both copies")
    ours, theirs = defaultdict[str, list[tuple[float, float]]](list), defaultdict[str, list[tuple[float, float]]](list)
    heaps = []
    for statement in QUERIES.values():
        # The first queries trigger JIT compilation.
        _run_ours(env, statement)
        spark.sql(statement).collect()
    for number in range(queries):
        kind = list(QUERIES)[number % len(QUERIES)]
        turns = [(ours, lambda kind=kind: _run_ours(env, QUERIES[kind]))]
        if number < paired:
            turns.append((theirs, lambda kind=kind: spark.sql(QUERIES[kind]).collect()))
        for times, run in turns if number // len(QUERIES) % 2 else reversed(turns):
            _heap()  # so that each run starts with a heap just collected
            times[kind].append(_seconds(run))
        if (number + 1) % max(1, queries // 10) == 0:
            heaps.append(_heap()[0])
            print(f"after {number + 1} queries the heap holds {heaps[-1]} MB", flush=True)
    for kind in filter(theirs.get, QUERIES):
        for what, index in (("clock", 0), ("processors", 1)):
            mine = [times[index] for times in ours[kind][: len(theirs[kind])]]
            other = [times[index] for times in theirs[kind]]
            for name, figure in (("minimum", min), ("median", statistics.median)):
                print(
                    f"{kind}, {what}, {name}: {figure(mine):.2f} s, over createDataFrame {figure(other):.2f} s,"
                    f" ratio {figure(mine) / figure(other):.2f}"
                )
    env.close()


def _elements(planner: str, count: int) -> None:
    env = _environment(planner)
    list(env.execute_sql("SELECT 1").collect())
    numbers = random.Random(1)
    rows = [(number, f"name {number}", numbers.random(), number % 2 == 0) for number in range(count)]

    def run() -> None:
        env.create_temporary_view("e", env.from_elements(rows, ["a", "b", "c", "d"]))
        _run_ours(env, "SELECT COUNT(*), SUM(a), MAX(b) FROM e WHERE d")
        env.drop_temporary_view("e")

    for name in ("first", "second"):
        clock, processors = _seconds(run)
        print(f"from_elements of {count} rows on {planner}, {name} time: {clock:.2f} s, {processors:.2f} s of processors", flush=True)
    env.close()


def _environment(planner: str) -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())


def _data(rows: int) -> pa.Table:
    numbers = random.Random(1)
    return pa.table(
        {
            "i": pa.array([numbers.randrange(rows) for _ in range(rows)], pa.int64()),
            "s": pa.array([f"name {numbers.randrange(rows)}" for _ in range(rows)], pa.string()),
            "d": pa.array([numbers.random() for _ in range(rows)], pa.float64()),
            "k": pa.array([number % 100 for number in range(rows)], pa.int32()),
            "u": pa.array([f"group {number % 1_000}" for number in range(rows)], pa.string()),
            "x": pa.array([numbers.randrange(1 << 40) for _ in range(rows)], pa.int64()),
        }
    )


def _run_ours(env: TableEnvironment, statement: str) -> None:
    list(env.execute_sql(statement).collect())


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    clock, processors = time.perf_counter(), _processors()
    run()
    return time.perf_counter() - clock, _processors() - processors


def _processors() -> float:
    """Returns the processor time of this process and of the JVM, in seconds."""
    seconds = time.process_time()
    gateway = SparkContext._gateway
    if gateway is not None:
        with open(f"/proc/{gateway.proc.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        seconds += (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return seconds


def _heap() -> tuple[int, int]:
    """Returns the used heap of the JVM after a garbage collection, and its maximum, in MB."""
    lang = SparkContext._jvm.java.lang  # type: ignore[union-attr]  # a session runs
    lang.System.gc()
    runtime = lang.Runtime.getRuntime()
    return (runtime.totalMemory() - runtime.freeMemory()) >> 20, runtime.maxMemory() >> 20


if __name__ == "__main__":
    main()
