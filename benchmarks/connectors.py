"""Throughput of connectors: batch and row sources, files compared with the libraries' own readers, lookups in SQLite.

    python benchmarks/connectors.py [--engine arrow|spark|all] [--rows 4000000] [--rounds 3] [--smoke]

Prints medians. On Spark, files are compared with ``spark.read`` in the same session: the file scans of both plans must
read the same columns with the same filters and the same partitions (our planner prunes partitions, so that Spark does not list the
files of the others). The embedded engine uses one core where the other side does.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

from table_api import EnvironmentSettings, TableEnvironment

ARROW_TARGET, LOOKUP_TARGET = 2_000_000, 200_000
SOURCE = '''
"""A connector of four columns, which yields batches or rows."""
import pyarrow as pa
from table_common.configuration import ConfigOptions
from table_common.connector import ArrowScanProvider, ChangelogMode, ScanTableSource, SourceFunction, SourceFunctionProvider
from table_common.data import GenericRowData, StringData
from table_common.factories import DynamicTableSourceFactory, FactoryUtil

ROWS = ConfigOptions.key("rows").int_type().no_default_value()
KIND = ConfigOptions.key("kind").enum_type("batches", "rows").default_value("batches")


class Factory(DynamicTableSourceFactory):
    factory_identifier, required_options, optional_options = "bench", (ROWS,), (KIND,)

    def create_dynamic_table_source(self, context):
        options = FactoryUtil.create_table_factory_helper(self, context).validate()
        return Source(options.get(ROWS), options.get(KIND))


class Source(ScanTableSource):
    def __init__(self, rows, kind):
        self.rows, self.kind = rows, kind

    def copy(self):
        return Source(self.rows, self.kind)

    def as_summary_string(self):
        return f"bench({self.rows}, {self.kind})"

    def get_changelog_mode(self):
        return ChangelogMode.insert_only()

    def get_scan_runtime_provider(self, context):
        return Batches(self.rows) if self.kind == "batches" else SourceFunctionProvider(Rows(self.rows))


class Batches(ArrowScanProvider):
    def __init__(self, rows):
        self.rows = rows

    def splits(self):
        return [(self.rows * part // 4, self.rows * (part + 1) // 4) for part in range(4)]

    def read(self, split):
        low, high = split
        texts = pa.array(["a", "bc", "def", "g"] * 16_384)
        for start in range(low, high, 65_536):
            numbers = pa.arange(start, min(high, start + 65_536))
            columns = [numbers, numbers.cast(pa.float64()), texts.slice(0, len(numbers)), numbers]
            yield pa.RecordBatch.from_arrays(columns, names=["id", "x", "s", "n"])


class Rows(SourceFunction):
    def __init__(self, rows):
        self.rows = rows

    def run(self):
        texts = [StringData.from_string(text) for text in ("a", "bc", "def", "g")]
        for number in range(self.rows):
            yield GenericRowData.of(number, float(number), texts[number % 4], number)
'''


def main() -> None:
    """Runs the selected measurements and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=("arrow", "spark", "all"), default="all")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="little data, one round, the embedded engine")
    arguments = parser.parse_args()
    rows, rounds = (2_000, 1) if arguments.smoke else (arguments.rows, arguments.rounds)
    engine = "arrow" if arguments.smoke else arguments.engine
    with tempfile.TemporaryDirectory(prefix="connectors-") as name:
        folder = Path(name)
        install(folder)
        for planner in ("arrow", "spark") if engine == "all" else (engine,):
            print(f"{planner}, {rows} rows, median of {rounds}")
            with environment(planner) as env:
                sources(env, rows, rounds)
                lookups(env, rows, rounds, folder)
                if planner == "arrow":
                    text_files(env, rows // 4, rounds, folder)
                else:
                    parquet_on_spark(env, rows, rounds, folder)


def install(folder: Path) -> None:
    """Installs the connector above for this process and Spark's workers."""
    (folder / "bench_source.py").write_text(SOURCE)
    metadata = folder / "bench_source-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-source\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text("[table.connectors]\nbench = bench_source:Factory\n")
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def environment(planner: str) -> TableEnvironment:
    """Returns an environment in batch mode."""
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())


def seconds(action: Callable[[], object], rounds: int) -> float:
    """Returns the median time of the rounds, after one that is not counted."""
    action()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def tell(name: str, took: float, count: int, target: float | None = None, note: str = "") -> None:
    """Prints a line."""
    rate = count / took
    goal = "" if target is None else f"  wanted {target:,.0f}: {'yes' if rate >= target else 'NO'}"
    print(f"  {name:<44} {took * 1000:9.1f} ms {rate:14,.0f} rows/s{goal}{note}", flush=True)


def collect(env: TableEnvironment, query: str) -> Any:
    """Runs a query and returns its first value."""
    return next(iter(env.execute_sql(query).collect()))[0]


def sources(env: TableEnvironment, rows: int, rounds: int) -> None:
    """Measures a batch source and a row source; on Spark with many batches, because the times include the start of Python workers."""
    many, few = 4 * rows, max(rows // 20, 1)
    for kind, count in (("batches", many), ("rows", few)):
        env.execute_sql(
            f"CREATE TABLE source_of_{kind} (id BIGINT, x DOUBLE, s STRING, n BIGINT) WITH ('connector' = 'bench', 'rows' = '{count}', 'kind' = '{kind}')"
        )
    query = "SELECT COUNT(id) + COUNT(x) + COUNT(s) + COUNT(n) FROM {}"
    fast = seconds(lambda: collect(env, query.format("source_of_batches")), rounds)
    tell("source of Arrow batches, 4 columns", fast, many, ARROW_TARGET)
    slow = seconds(lambda: collect(env, query.format("source_of_rows")), rounds)
    tell("source of rows, 4 columns", slow, few, note=f"  {(slow / few) / (fast / many):.0f} times slower by row")


def lookups(env: TableEnvironment, rows: int, rounds: int, folder: Path) -> None:
    """Measures a lookup join with batches of distinct keys."""
    size, count = max(rows // 20, 10), max(rows // 4, 10)
    path = folder / "dim.db"
    if not path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE dim (id INTEGER PRIMARY KEY, name TEXT)")
            connection.executemany("INSERT INTO dim VALUES (?, ?)", ((n, f"name {n}") for n in range(size)))
            connection.commit()
    env.execute_sql(
        f"CREATE TABLE asked (id BIGINT, x DOUBLE, s STRING, n BIGINT, pt AS PROCTIME()) WITH ('connector' = 'bench', 'rows' = '{count}')"
    )
    for name, extra in (("dim", ""), ("cached", ", 'lookup.cache' = 'PARTIAL'")):
        env.execute_sql(
            f"CREATE TABLE {name} (id BIGINT, name STRING) WITH ('connector' = 'sqlite', 'path' = '{path}', 'table-name' = 'dim'{extra})"
        )
        query = f"SELECT COUNT(d.name) FROM asked AS o JOIN {name} FOR SYSTEM_TIME AS OF o.pt AS d ON MOD(o.id * 7919, {size}) = d.id"
        took = seconds(lambda query=query: collect(env, query), rounds)  # type: ignore[misc]
        tell(f"lookup join, SQLite{', partial cache' if extra else ''}, {size} rows", took, count, None if extra else LOOKUP_TARGET)


def text_files(env: TableEnvironment, rows: int, rounds: int, folder: Path) -> None:
    """Measures CSV and JSON files, and pyarrow's own readers."""
    rows = max(rows, 10)
    table = pa.table(
        {"id": pa.array(range(rows)), "x": pa.array([n / 4 for n in range(rows)]), "s": pa.array([f"text {n % 1000}" for n in range(rows)])}
    )
    (folder / "csv").mkdir()
    (folder / "json").mkdir()
    pyarrow.csv.write_csv(table, folder / "csv" / "t.csv", pyarrow.csv.WriteOptions(include_header=False))
    with (folder / "json" / "t.json").open("w") as file:
        file.writelines(f'{{"id":{n},"x":{n / 4},"s":"text {n % 1000}"}}\n' for n in range(rows))
    own = {
        "csv": lambda: pyarrow.csv.read_csv(folder / "csv" / "t.csv", pyarrow.csv.ReadOptions(column_names=["id", "x", "s"])),
        "json": lambda: pyarrow.json.read_json(folder / "json" / "t.json"),
    }
    for name, read in own.items():
        env.execute_sql(
            f"CREATE TABLE {name}_files (id BIGINT, x DOUBLE, s STRING) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', 'format' = '{name}')"
        )
        query = f"SELECT COUNT(id) + COUNT(x) + COUNT(s) FROM {name}_files"
        ours, theirs = seconds(lambda query=query: collect(env, query), rounds), seconds(read, rounds)  # type: ignore[misc]
        tell(f"{name} files, 3 columns", ours, rows, note=f"  pyarrow's reader: {theirs * 1000:.1f} ms")


def parquet_on_spark(env: TableEnvironment, rows: int, rounds: int, folder: Path) -> None:
    """Checks that the plan has the same Parquet scan as with ``spark.read``, and measures both."""
    path = folder / "parquet"
    for part in range(4):
        (path / f"p={part}").mkdir(parents=True)
        numbers = pa.array(range(rows // 4))
        pq.write_table(
            pa.table({"id": numbers, "x": numbers.cast(pa.float64()), "s": numbers.cast(pa.string())}), path / f"p={part}" / "t.parquet"
        )
    env.execute_sql(
        f"CREATE TABLE files (id BIGINT, x DOUBLE, s STRING, p INT) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet')"
    )
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    text = "SELECT COUNT(x), MAX(id) FROM {} WHERE id > 1000 AND p < 2"
    spark.read.parquet(str(path)).createOrReplaceTempView("own")
    own = spark.sql(text.format("own"))
    scans = [_file_scan(env.explain_sql(text.format("files"))), _file_scan(own._jdf.queryExecution().executedPlan().toString())]
    print(f"  file scans: {'the same' if scans[0] == scans[1] else f'DIFFERENT: {scans}'} ({', '.join(scans[0])})")
    folders = re.findall(r"InMemoryFileIndex\((\d+) paths\)", env.explain_sql(text.format("files")))
    filtered = spark.sql("SELECT COUNT(DISTINCT input_file_name()) FROM own WHERE p < 2").collect()[0][0]
    print(f"  partitions read: {', '.join(folders)}, chosen when the query is planned; by Spark's own PartitionFilters: {filtered}")
    ours = seconds(lambda: collect(env, text.format("files")), rounds)
    theirs = seconds(lambda: spark.sql(text.format("own")).collect(), rounds)
    tell("parquet files, 2 of 4 partitions", ours, rows // 2, note=f"  spark.read: {theirs * 1000:.1f} ms")


def _file_scan(plan: str) -> list[str]:
    """Returns the read schema and the pushed filters of a plan's file scan."""
    found = re.findall(r"(ReadSchema: \S+|PushedFilters: \[[^\]]*\])", plan)
    return sorted(set(found))


if __name__ == "__main__":
    main()
