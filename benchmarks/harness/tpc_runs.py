"""A TPC benchmark on one engine of ours: the Spark engine against spark.sql with the same texts, the embedded one against DuckDB."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.pairing import interleaved, medians
from harness.rows import first_difference, fixes_order
from harness.tpc import BENCHMARKS, Workload, connect, load

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data" / "tpc"
RESULTS = ROOT / "benchmarks" / "results"


@dataclass(frozen=True)
class Engines:
    """One of our engines and the one beside it, over the same files."""

    name: str
    environment: Any
    theirs: Callable[[int], pa.Table]
    reference: Callable[[int], pa.Table]
    """DuckDB's rows: Spark's own have other digits where Flink's rules for decimals differ."""
    lower: Callable[[Any], object] | None
    """Lowers an optimized operation; None where lowering is part of running."""
    clock: Callable[[], float] = time.perf_counter
    """Of two engines in this process the processor time is compared, which other programs change less than the time that passes."""


@dataclass(frozen=True)
class Timing:
    """What one query took, in milliseconds."""

    query: int
    ours: float
    theirs: float
    ratio: float
    parse_and_rewrite: float
    lowering: float | None
    rows: int
    difference: str | None


def run(name: str) -> None:
    """Runs the benchmark that a script is for, as its arguments say."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="spark")
    parser.add_argument("--scale", type=float, default=1, help="gigabytes of data, about (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds for each query (default: 3)")
    parser.add_argument("--queries", help="numbers of queries, as 1,5,20-30 (default: all)")
    parser.add_argument("--smoke", action="store_true", help="two queries once on little data, to see that it runs; nothing is kept")
    arguments = parser.parse_args()
    scale, rounds = (0.01, 1) if arguments.smoke else (arguments.scale, arguments.rounds)
    workload = load(name, scale, DATA)
    numbers = _numbers("1,3" if arguments.smoke else arguments.queries, list(workload.queries))
    with ENGINES[arguments.engine](workload) as engines:
        print(f"{BENCHMARKS[name].name} at scale {scale:g}: {engines.name}, {rounds} rounds")
        print(f"{'query':>5}{'ours ms':>9}{'theirs':>9}{'ratio':>7}{'rewrite':>9}{'lower':>7}{'rows':>7}")
        timings = [_time(number, workload, engines, rounds) for number in numbers]
    summary = _summary(timings)
    for text, value in summary.items():
        print(f"{text}: {value}")
    if not arguments.smoke:
        some = "" if arguments.queries is None else "-some"
        RESULTS.mkdir(exist_ok=True)
        found = {"scale": scale, "rounds": rounds, "engines": engines.name, **summary, "queries": [asdict(timing) for timing in timings]}
        lines = json.dumps(found).replace('{"query"', '\n{"query"').replace("}]}", "}\n]}")
        (RESULTS / f"{name}-{arguments.engine}-{scale:g}{some}.json").write_text(lines + "\n")
    if any(timing.difference for timing in timings):
        raise SystemExit("Rows differ.")


def _numbers(text: str | None, every: list[int]) -> list[int]:
    if text is None:
        return every
    bounds = [part.partition("-") for part in text.split(",")]
    chosen = {number for low, _, high in bounds for number in range(int(low), int(high or low) + 1)}
    return [number for number in every if number in chosen]


def _time(number: int, workload: Workload, engines: Engines, rounds: int) -> Timing:
    query = workload.queries[number]
    environment = engines.environment
    ours = environment.execute_sql(query).to_arrow()
    difference = first_difference(ours, engines.reference(number), ordered=fixes_order(query))
    engines.theirs(number)  # both have run once; nothing else comes between this and the rounds
    timings = interleaved(lambda _: environment.execute_sql(query).to_arrow(), engines.theirs, (number, number), rounds, engines.clock)
    ours_ms, theirs_ms, ratio = medians(timings)
    planning = [_planning(query, engines) for _ in range(rounds)]
    rewriting = statistics.median(one[0] for one in planning)
    lowering = None if engines.lower is None else statistics.median(one[1] for one in planning)
    lowered = "" if lowering is None else f"{lowering:.0f}"
    wrong = f"  {difference}" if difference else ""
    print(f"{number:>5}{ours_ms:>9.0f}{theirs_ms:>9.0f}{ratio:>7.2f}{rewriting:>9.1f}{lowered:>7}{ours.num_rows:>7}{wrong}", flush=True)
    rounded = (round(value, 3) for value in (ours_ms, theirs_ms, ratio, rewriting))
    return Timing(number, *rounded, None if lowering is None else round(lowering, 3), ours.num_rows, difference)


def _planning(query: str, engines: Engines) -> tuple[float, float]:
    """Returns the milliseconds of processor time of parsing, converting and rewriting, and the milliseconds of lowering."""
    from table_api.operations import CollectModifyOperation
    from table_api.plan.optimizer import optimize

    environment = engines.environment
    started = time.thread_time()
    operation = CollectModifyOperation(environment.sql_query(query).query_operation)
    (optimized,) = optimize([operation], environment._session, environment._session.planner)
    rewriting = time.thread_time() - started
    rewritten = time.perf_counter()
    if engines.lower is not None:
        engines.lower(optimized)
    return rewriting * 1000, (time.perf_counter() - rewritten) * 1000


def _summary(timings: list[Timing]) -> dict[str, float]:
    lowering = [timing.lowering for timing in timings if timing.lowering is not None]
    summary = {
        "geometric mean of ratios": statistics.geometric_mean(timing.ratio for timing in timings),
        "median of ratios": statistics.median(timing.ratio for timing in timings),
        "ratio of totals": sum(timing.ours for timing in timings) / sum(timing.theirs for timing in timings),
        "median ms of processor time of parse, convert and rewrite": statistics.median(timing.parse_and_rewrite for timing in timings),
    }
    if lowering:
        summary["median ms of lowering"] = statistics.median(lowering)
    return {text: round(value, 3) for text, value in summary.items()}


@contextmanager
def _embedded(workload: Workload) -> Iterator[Engines]:
    from table_api import EnvironmentSettings, TableEnvironment

    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment, connect(workload.benchmark, workload.files) as connection:
        for definition in workload.definitions:
            environment.execute_sql(definition)
        theirs = _duckdb(workload, connection)
        yield Engines("embedded / DuckDB, processor time", environment, theirs, theirs, None, time.process_time)


@contextmanager
def _spark(workload: Workload) -> Iterator[Engines]:
    from pyspark.sql import SparkSession

    from table_api_bridge import SparkTableEnvironment

    spark = (
        SparkSession.builder.master("local[2]")
        .appName(workload.benchmark.name)
        .config("spark.driver.memory", "6g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    environment = SparkTableEnvironment.create(spark)
    for definition in workload.definitions:
        environment.execute_sql(definition)
    for name, path in workload.files.items():
        spark.read.parquet(str(path)).createOrReplaceTempView(name)
    planner = environment._session.planner

    def lower(operation: Any) -> object:
        with planner._translating(planner.session) as context:
            return planner._collected(operation.child, context)

    try:
        with connect(workload.benchmark, workload.files) as connection:
            reference = _duckdb(workload, connection)
            yield Engines("Spark engine / spark.sql", environment, lambda n: spark.sql(workload.queries[n]).toArrow(), reference, lower)
    finally:
        spark.stop()


def _duckdb(workload: Workload, connection: Any) -> Callable[[int], pa.Table]:
    return lambda number: connection.execute(workload.duckdb_queries[number]).to_arrow_table()


ENGINES = {"arrow": _embedded, "spark": _spark}
