"""Overhead of user functions: compared with the plain Python call or Arrow kernel in this process, and with PySpark's functions on Spark.

    python benchmarks/udf.py [--engine arrow|spark|all] [--rows 5000000] [--rounds 5] [--only REGEX] [--smoke]

The two sides of a pair run alternately after one warm-up run; the result is the median of the rounds' ratios. The
embedded engine runs on one core. Needs pyspark for ``--engine spark``; PySpark's grouped aggregate needs pandas and is skipped without it.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import AggregateFunction, DataTypeHint, ScalarFunction

GROUPS = 100_000
Longs = Annotated[pa.Array, DataTypeHint("BIGINT")]


class PlusOne(ScalarFunction):
    def eval(self, x: int) -> int:
        return x + 1


class PlusOneColumn(ScalarFunction):
    def eval(self, x: Longs) -> Longs:
        return pc.add(x, 1)


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], x: int) -> None:
        accumulator[0] += x

    def merge(self, accumulator: list[int], others: list[list[int]]) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


FUNCTIONS = {"plus_one": PlusOne, "plus_one_column": PlusOneColumn, "total": Total}


@dataclass(frozen=True)
class Pair:
    """Both sides, and the target for the ratio of their times; the note explains the other side."""

    name: str
    ours: Callable[[], object]
    other: Callable[[], object]
    note: str
    target: float | None = None
    rate_target: float | None = None
    is_in_process: bool = True


def main() -> None:
    """Runs the selected pairs and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=("arrow", "spark", "all"), default="all")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--smoke", action="store_true", help="little data, one round, the embedded engine")
    options = parser.parse_args()
    rows, rounds = (20_000, 1) if options.smoke else (options.rows, options.rounds)
    engine = "arrow" if options.smoke else options.engine
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.parquet"
        numbers = pa.arange(0, rows)
        scattered = pc.subtract(pc.multiply(numbers, 7919), pc.multiply(pc.divide(pc.multiply(numbers, 7919), GROUPS), GROUPS))
        pq.write_table(pa.table({"x": numbers, "g": scattered}), path)
        if engine in ("arrow", "all"):
            for pair in embedded_pairs(path):
                measure(pair, rows, rounds, options.only)
        if engine in ("spark", "all"):
            with spark_session() as spark:
                for pair in spark_pairs(spark, path):
                    measure(pair, rows, rounds, options.only)


def measure(pair: Pair, rows: int, rounds: int, only: str) -> None:
    """Runs one pair and prints the median ratio, our throughput, and the target."""
    if not re.search(only, pair.name):
        return
    pair.ours()
    pair.other()
    ratios, rates = [], []
    for number in range(rounds):
        times = {}
        order = (("ours", pair.ours), ("other", pair.other))
        for side, run in order if number % 2 == 0 else order[::-1]:
            start, cpu_start = time.perf_counter(), time.process_time()
            run()
            times[side] = time.perf_counter() - start
            if side == "ours":
                # In this process, processor time is used, which does not depend on other programs.
                rates.append(rows / (time.process_time() - cpu_start if pair.is_in_process else times[side]))
        ratios.append(times["ours"] / times["other"])
    wanted = f"wanted <= {pair.target}" if pair.target is not None else ""
    if pair.rate_target is not None:
        wanted += f" wanted >= {pair.rate_target / 1e6:.1f} M rows/s"
    rate = statistics.median(rates) / 1e6
    print(f"{pair.name:44s} {statistics.median(ratios):6.2f} x {pair.note:38s} {rate:7.2f} M rows/s  {wanted.strip()}", flush=True)


def environment(planner: str, path: Path, external: dict[str, object] | None = None) -> TableEnvironment:
    """Returns an environment with the file as table ``t`` and the functions."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build(), external=external)
    env.execute_sql(f"CREATE TABLE t (x BIGINT, g BIGINT) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet')")
    for name, function in FUNCTIONS.items():
        env.create_temporary_system_function(name, function)
    return env


def embedded_pairs(path: Path) -> Iterator[Pair]:
    """Yields the pairs that run in this process, on one core."""
    pa.set_cpu_count(1)
    env = environment("arrow", path)
    env.get_config().set("table.exec.resource.default-parallelism", "1")
    column = pq.read_table(path)["x"].combine_chunks()

    def sql(text: str) -> Callable[[], object]:
        return lambda: env.execute_sql(text).to_arrow()

    plus_one = PlusOne().eval
    yield Pair(
        "embedded: row-wise, BIGINT to BIGINT",
        sql("SELECT MAX(plus_one(x)) FROM t"),
        lambda: max(map(plus_one, column.to_pylist())),
        "the same calls in plain Python",
        rate_target=2e6,
    )
    yield Pair(
        "embedded: vectorized",
        sql("SELECT MAX(plus_one_column(x)) FROM t"),
        sql("SELECT MAX(x + 1) FROM t"),
        "the built-in +",
        target=1.2,
    )
    yield Pair(
        "embedded: aggregate of 100,000 groups",
        sql("SELECT MAX(s) FROM (SELECT total(x) AS s FROM t GROUP BY g)"),
        sql("SELECT MAX(s) FROM (SELECT SUM(x) AS s FROM t GROUP BY g)"),
        "the built-in SUM",
    )


class spark_session:  # noqa: N801  # used like a function
    """Provides a local Spark session with little logging for a block."""

    def __enter__(self) -> Any:
        from table_planner_spark import local_session

        self.session = local_session("local[2]", {"spark.sql.shuffle.partitions": "2"})
        return self.session

    def __exit__(self, *_: object) -> None:
        self.session.stop()


def spark_pairs(spark: Any, path: Path) -> Iterator[Pair]:
    """Yields the pairs that run on Spark; the other side is hand-written PySpark code over the same file."""
    from pyspark.sql import functions as fns
    from pyspark.sql.pandas.functions import arrow_udf
    from pyspark.sql.types import LongType

    env = environment("spark", path, {"spark": spark})
    frame = spark.read.parquet(str(path))

    def sql(text: str) -> Callable[[], object]:
        return lambda: env.execute_sql(text).to_arrow()

    def once_per_row(x: int) -> int:
        return x + 1

    others: dict[str, Any] = {
        "PySpark's udf": fns.udf(once_per_row, LongType()),
        "PySpark's udf, Arrow": fns.udf(once_per_row, LongType(), useArrow=True),
    }

    def per_row_in_arrow(x: pa.Array) -> pa.Array:
        return pa.array([once_per_row(value) for value in x.to_pylist()], pa.int64())

    others["PySpark's arrow_udf with a loop"] = arrow_udf(per_row_in_arrow, LongType())
    for note, function in others.items():
        yield Pair(
            "spark: row-wise, BIGINT to BIGINT",
            sql("SELECT MAX(plus_one(x)) FROM t"),
            lambda function=function: frame.select(fns.max(function("x"))).collect(),  # type: ignore[misc]
            note,
            target=1.1,
            is_in_process=False,
        )

    def plus_one(x: pa.Array) -> pa.Array:
        return pc.add(x, 1)

    vectorized = arrow_udf(plus_one, LongType())
    yield Pair(
        "spark: vectorized",
        sql("SELECT MAX(plus_one_column(x)) FROM t"),
        lambda: frame.select(fns.max(vectorized("x"))).collect(),
        "PySpark's arrow_udf",
        target=1.1,
        is_in_process=False,
    )
    try:
        import pandas as pd
    except ImportError:
        print("spark: aggregate of 100,000 groups is skipped: PySpark's grouped aggregate needs pandas", flush=True)
        return

    def total(x):  # type: ignore[no-untyped-def]
        return int(x.sum())

    total.__annotations__ = {"x": pd.Series, "return": int}  # PySpark needs evaluated annotations
    grouped = fns.pandas_udf(total, LongType())
    yield Pair(
        "spark: aggregate of 100,000 groups",
        sql("SELECT MAX(s) FROM (SELECT total(x) AS s FROM t GROUP BY g)"),
        lambda: frame.groupBy("g").agg(grouped("x").alias("s")).select(fns.max("s")).collect(),
        "PySpark's grouped pandas_udf",
        target=0.25,
        is_in_process=False,
    )


if __name__ == "__main__":
    main()
