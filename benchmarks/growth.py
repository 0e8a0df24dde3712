"""How costs grow with sizes: columns, partitions, views, files, keys of state, and rows of TPC-DS.

    python benchmarks/growth.py [--cases columns,partitions,…] [--planner arrow|spark] [--scales 1,10,30] [--data data/tpc] [--smoke]

Each case runs at several sizes and prints the processor seconds of each, the lesser of two runs, and the growth from the least to the largest size
beside what n log n would be: a growth of 1.0 is n log n, more is worse. A statement above 2 is an error at the end: state that no longer fits into the
processor's caches takes up to 1.7, and n squared would be 4 to 13. Most are below 1, because some costs do not grow. Rows per second of new state are printed for ``state``, the largest memory for ``tpcds``, which makes its
data for each scale once and runs only if ``--cases`` names it: scale 30 needs 15 GB of disk and half an hour.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from table_api import EnvironmentSettings, TableEnvironment

LIMIT = 2.0
"""The largest growth, as a factor of n log n, that is not an error."""
LINKS = 10_000
"""How many names a file gets: file systems limit them."""
QUERIES = (3, 7, 9, 11, 13, 19, 25, 28, 31, 47, 48, 59, 67, 78, 85, 88, 93, 96, 97, 99)


@dataclass
class Growth:
    """The processor seconds of one statement by size."""

    seconds: dict[int, float] = field(default_factory=dict)

    @property
    def factor(self) -> float:
        """How much more the largest size costs than the least one, over what n log n would be."""
        least, largest = min(self.seconds), max(self.seconds)
        expected = largest * math.log2(largest + 1) / (least * math.log2(least + 1))
        return self.seconds[largest] / max(self.seconds[least], 1e-6) / expected


class Measures:
    """All statements that were measured, by case and name."""

    def __init__(self) -> None:
        self.growths: dict[str, Growth] = {}

    def add(self, name: str, size: int, run: Callable[[], object], rounds: int = 2) -> float:
        """Runs a function, keeps the least seconds, and returns them."""
        best = math.inf
        for _ in range(rounds):
            start = time.process_time()
            run()
            best = min(best, time.process_time() - start)
        self.growths.setdefault(name, Growth()).seconds[size] = best
        return best

    def print(self) -> int:
        """Prints all statements, and returns how many are worse than n log n."""
        for name, growth in self.growths.items():
            figures = "  ".join(f"{size}: {seconds:.3f}" for size, seconds in sorted(growth.seconds.items()))
            print(f"{name:<26} growth {growth.factor:4.2f}  {figures}", flush=True)
        return sum(growth.factor > LIMIT for growth in self.growths.values())


@contextmanager
def environment(planner: str, *, streaming: bool = False) -> Iterator[TableEnvironment]:
    """Yields a new environment whose inserts wait."""
    settings = EnvironmentSettings.new_instance()
    settings = settings.in_streaming_mode() if streaming else settings.in_batch_mode()
    with TableEnvironment.create(settings.with_planner(planner).build()) as env:
        env.get_config().set("table.dml-sync", "true")
        yield env


def rows_of(env: TableEnvironment, query: str) -> int:
    """Runs a query and returns the number of its rows."""
    return int(env.execute_sql(query).to_arrow().num_rows)


def columns(measures: Measures, planner: str, sizes: list[int], folder: Path) -> None:
    """Tables with many columns: definition, all columns, expressions over them, a join, an aggregation of each."""
    for size in sizes:
        names = [f"c{number}" for number in range(size)]
        path = folder / f"wide-{size}"
        path.mkdir()
        table = pa.table({"k": pa.array(range(100)), **{name: pa.array(range(100)) for name in names}})
        pyarrow.parquet.write_table(table, path / "rows.parquet")
        text = ", ".join(f"{name} BIGINT" for name in names)
        with environment(planner) as env:
            create = f"CREATE TABLE t (k BIGINT, {text}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')"
            measures.add("columns: CREATE TABLE", size, lambda env=env, create=create: env.execute_sql(create), rounds=1)
            expressions = ", ".join(f"{name} + 1 AS {name}" for name in names)
            sums = ", ".join(f"SUM({name})" for name in names)
            for name, query in {
                "SELECT *": "SELECT * FROM t",
                "expressions": f"SELECT {expressions} FROM t WHERE k > 3",
                "JOIN": "SELECT * FROM t a JOIN t b ON a.k = b.k",
                "GROUP BY": f"SELECT k, {sums} FROM t GROUP BY k",
            }.items():
                measures.add(f"columns: {name}", size, lambda env=env, query=query: rows_of(env, query))


def partitions(measures: Measures, planner: str, sizes: list[int], folder: Path) -> None:
    """Tables with many partitions: written at once, one read, all read, listed."""
    for size in sizes:
        with environment(planner) as env:
            env.create_temporary_view("source", env.from_arrow(pa.table({"v": pa.array(range(size)), "p": pa.array(range(size))})))
            path = folder / f"partitions-{size}"
            env.execute_sql(
                f"CREATE TABLE t (v BIGINT, p BIGINT) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')"
            )
            insert = "INSERT INTO t SELECT v, p FROM source"
            measures.add("partitions: INSERT", size, lambda env=env, insert=insert: env.execute_sql(insert).wait(), rounds=1)
            for name, query in {
                "one": "SELECT v FROM t WHERE p = 7",
                "all": "SELECT COUNT(*), SUM(v) FROM t",
                "pruned by a join": "SELECT t.v FROM t JOIN (VALUES (7), (8)) AS x (p) ON t.p = x.p",
            }.items():
                measures.add(f"partitions: {name}", size, lambda env=env, query=query: rows_of(env, query))


def views(measures: Measures, planner: str, sizes: list[int], folder: Path) -> None:
    """Catalogs with many views: created, listed, all of them in one query, one of them alone."""
    del folder
    for size in sizes:
        with environment(planner) as env:

            def create(env: TableEnvironment = env, size: int = size) -> None:
                for number in range(size):
                    env.execute_sql(
                        f"CREATE OR REPLACE TEMPORARY VIEW v{number} AS SELECT x + {number} AS x FROM (VALUES (1), (2)) AS t (x)"
                    )

            measures.add("views: CREATE", size, create)
            measures.add("views: SHOW", size, lambda env=env: list(env.execute_sql("SHOW VIEWS").collect()))
            measures.add("views: one", size, lambda env=env: [rows_of(env, "SELECT * FROM v1") for _ in range(20)])
            union = " UNION ALL ".join(f"SELECT x FROM v{number}" for number in range(size))
            measures.add("views: UNION ALL of all", size, lambda env=env, union=union: rows_of(env, union), rounds=1)


def files(measures: Measures, planner: str, sizes: list[int], folder: Path) -> None:
    """Tables of many files: all read, a few rows read, and read in streaming mode."""
    for size in sizes:
        path = folder / f"files-{size}"
        path.mkdir()
        for number in range(size):
            first, file = path / f"{number - number % LINKS}.parquet", path / f"{number}.parquet"
            if first == file:
                pyarrow.parquet.write_table(pa.table({"v": pa.array(range(10))}), file)
            else:
                os.link(first, file)
        with environment(planner) as env:
            env.execute_sql(f"CREATE TABLE t (v BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')")
            measures.add("files: COUNT and SUM", size, lambda env=env: rows_of(env, "SELECT COUNT(*), SUM(v) FROM t"), rounds=1)
            measures.add("files: LIMIT", size, lambda env=env: rows_of(env, "SELECT v FROM t LIMIT 5"))


def state(measures: Measures, planner: str, sizes: list[int], folder: Path) -> None:
    """Streaming state of many keys, each of which is new: a sum by key, a join, distinct rows, a top row."""
    del folder
    for size in sizes:
        keys = np.random.default_rng(1).permutation(size)
        table = pa.table({"k": pa.array(keys), "v": pa.array(keys % 1000)})
        with environment(planner, streaming=True) as env:
            env.create_temporary_view("t", env.from_arrow(table))
            env.execute_sql("CREATE TEMPORARY TABLE sink (k BIGINT, v BIGINT) WITH ('connector' = 'blackhole')")
            for name, query in {
                "GROUP BY": "SELECT k, SUM(v) FROM t GROUP BY k",
                "JOIN": "SELECT a.k, a.v + b.v FROM t a JOIN t b ON a.k = b.k",
                "DISTINCT": "SELECT DISTINCT k, v FROM t",
                "top row": "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM t) WHERE n = 1",
            }.items():
                insert = f"INSERT INTO sink {query}"
                seconds = measures.add(f"state: {name}", size, lambda env=env, insert=insert: env.execute_sql(insert).wait(), rounds=1)
                print(f"state: {name}: {size / seconds / 1e6:.2f} M new keys per processor second of {size}")


def tpcds(measures: Measures, planner: str, scales: list[float], data: Path) -> None:
    """Queries of TPC-DS at several scales, with the largest memory of the process."""
    from harness.tpc import load

    for scale in scales:
        workload = load("tpcds", scale, data)
        with environment(planner) as env:
            for definition in workload.definitions:
                env.execute_sql(definition)
            for number in QUERIES:
                rounds = 2 if scale <= 1 else 1
                measures.add(
                    f"tpcds: {number}", int(scale), lambda env=env, text=workload.queries[number]: rows_of(env, text), rounds=rounds
                )
        print(f"tpcds: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at scale {scale:g}")


CASES = {"columns": columns, "partitions": partitions, "views": views, "files": files, "state": state}
SIZES = {
    "columns": [250, 500, 1000, 2000],
    "partitions": [625, 2500, 10_000],
    "views": [125, 250, 500, 1000],
    "files": [6250, 25_000, 100_000],
    "state": [250_000, 1_000_000, 4_000_000],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--planner", default="arrow")
    parser.add_argument("--scales", default="1,10")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[1] / "data" / "tpc")
    parser.add_argument("--smoke", action="store_true", help="small sizes, to see that it runs")
    arguments = parser.parse_args()
    worse = 0
    for name in arguments.cases.split(","):
        measures = Measures()
        if name == "tpcds":
            tpcds(measures, arguments.planner, [float(scale) for scale in arguments.scales.split(",")], arguments.data)
        else:
            with tempfile.TemporaryDirectory(prefix="growth") as folder:
                CASES[name](measures, arguments.planner, [4, 8] if arguments.smoke else SIZES[name], Path(folder))
        worse += measures.print()
    if worse and not arguments.smoke:
        sys.exit(f"{worse} statements grow by more than {LIMIT} times n log n")


if __name__ == "__main__":
    main()
