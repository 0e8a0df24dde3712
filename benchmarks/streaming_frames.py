"""Queries over streaming DataFrames beside the same in Spark's own SQL: CPU-seconds of the process tree, on ``local[2]``.

    python benchmarks/streaming_frames.py [--rounds 7] [--rows 3000000] [--smoke]

Each round runs both sides once, in alternating order, each as a streaming query that reads the files in three batches and drops its rows. The result is the median
of the rounds' ratios. The translation, which a query needs once, is not timed. Both sides must give the same rows before they are timed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from harness.pairing import interleaved, medians
from harness.process_tree import cpu_of_others
from pyspark.sql import DataFrame
from pyspark.sql import functions as fns

from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

_LEAST = 0.9
QUERIES = {
    "filter and functions": (
        "SELECT id, UPPER(name) AS n, k * 2 AS kk FROM s WHERE MOD(id, 3) = 0",
        "SELECT id, upper(name) AS n, k * 2 AS kk FROM own WHERE id % 3 = 0",
    ),
    "join with a static table": (
        "SELECT s.id, d.label FROM s JOIN d ON s.k = d.k",
        "SELECT own.id, d.label FROM own JOIN of_spark AS d ON own.k = d.k",
    ),
    "TUMBLE as a projection": (
        "SELECT id, window_start, window_end FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        "SELECT id, w.start AS window_start, w.end AS window_end FROM (SELECT id, window(ts, '1 hour') AS w FROM own)",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--smoke", action="store_true", help="few rows, to see that it runs")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.rounds, arguments.rows = 1, 3_000
    spark = local_session("local[2]", {"spark.driver.memory": "2g"})
    with tempfile.TemporaryDirectory(prefix="streaming-frames") as folder, SparkTableEnvironment.create(spark, Configuration()) as env:
        files = str(Path(folder) / "in")
        rows = spark.range(arguments.rows).selectExpr(
            "id", "id % 100 AS k", "CAST(id AS STRING) AS name", "TIMESTAMP_NTZ'2024-01-01' + make_dt_interval(0, 0, 0, id) AS ts"
        )
        rows.repartition(6).write.parquet(files)
        labels = spark.range(100).selectExpr("id AS k", "concat('n', id) AS label")
        source = spark.readStream.schema(spark.read.parquet(files).schema).option("maxFilesPerTrigger", 2).parquet(files)
        source.createOrReplaceTempView("own")
        labels.createOrReplaceTempView("of_spark")
        env.create_temporary_view("s", source)
        env.create_temporary_view("d", labels)
        for name, (ours, theirs) in QUERIES.items():
            compare(name, partial(frame_of, env, ours), partial(spark.sql, theirs), arguments.rounds)
    spark.stop()


def frame_of(env: SparkTableEnvironment, query: str) -> DataFrame:
    """Returns a query as a streaming DataFrame."""
    return env.to_data_frame(env.sql_query(query))


def compare(name: str, ours: Callable[[], DataFrame], theirs: Callable[[], DataFrame], rounds: int) -> None:
    """Prints how much faster our side is than Spark's."""
    assert rows_of(ours()) == rows_of(theirs()), name
    our_seconds, their_seconds, ratio = medians(interleaved(run, run, (ours(), theirs()), rounds, cpu))
    print(
        f"{name}: {our_seconds / 1000:.2f} CPU-s, spark.sql {their_seconds / 1000:.2f}; speed {1 / ratio:.2f} of spark.sql's (at least {_LEAST})",
        flush=True,
    )


def run(frame: DataFrame) -> None:
    """Runs a query."""
    frame.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()


def rows_of(frame: DataFrame) -> int:
    """Returns a number that depends on all rows of a query."""
    found: list[int] = []

    def add(batch: DataFrame, _: int) -> None:
        found.append(int(batch.agg(fns.sum(fns.xxhash64(*batch.columns).cast("decimal(38, 0)"))).first()[0]))

    frame.writeStream.foreachBatch(add).trigger(availableNow=True).start().awaitTermination()
    return sum(found)


def cpu() -> float:
    """Returns the CPU-seconds of this process and all that it has started."""
    return time.process_time() + cpu_of_others(os.getpid())


if __name__ == "__main__":
    main()
