"""Overhead of both engines: the Spark engine compared with spark.sql, the embedded engine with DuckDB, on the same queries and files.

    python benchmarks/overhead.py [--engine arrow|spark] [--rounds 7] [--rows 10000000] [--smoke]

Each round runs both sides once, in alternating order. The result is the median of the rounds' ratios, because a
machine's speed drifts between rounds but hardly within one. Both sides read the same Parquet files, fetch the result as an Arrow table,
and must return the same rows before they are timed. On Spark both sides share one session. Needs pyspark, duckdb, and the flights (`python3 run.py
flights` prepares them); the orders are generated once, into data/benchmark.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from harness.pairing import interleaved, medians

ROOT = Path(__file__).resolve().parents[1]
FLIGHTS = ROOT / "data" / "flights"
CUSTOMERS = 100_000
CHUNK = 1_000_000

ORDERS_QUERIES = {
    "orders: scan, filter, aggregate": """
        SELECT status, COUNT(*) AS n, SUM(cents) AS cents, AVG(weight) AS weight, MAX(quantity) AS most
        FROM orders WHERE quantity > 10 GROUP BY status ORDER BY status""",
    "orders: join, aggregate": """
        SELECT c.region, o.status, COUNT(*) AS n, SUM(o.cents) AS cents
        FROM orders AS o JOIN customers AS c ON o.customer = c.customer
        WHERE o.status <> 'returned' GROUP BY c.region, o.status ORDER BY c.region, o.status""",
    "orders: many groups, having, top": """
        SELECT customer, COUNT(*) AS n, SUM(cents) AS cents
        FROM orders GROUP BY customer HAVING COUNT(*) > 1 ORDER BY cents DESC, customer LIMIT 20""",
}
TABLES = {
    "orders": "id BIGINT, customer BIGINT, status STRING, quantity INT, cents BIGINT, weight DOUBLE",
    "customers": "customer BIGINT, region STRING",
}


@dataclass(frozen=True)
class Workload:
    """Tables as our DDL and as files, views, and named queries."""

    files: Mapping[str, Path]
    definitions: tuple[str, ...]
    views: tuple[str, ...]
    queries: Mapping[str, str]

    def in_dialect(self, engine: str) -> Workload:
        """Rewrites the differences of Spark's and DuckDB's syntax: quoted names, and integer division."""

        def rewrite(text: str) -> str:
            if engine == "duckdb":
                return text.replace("`", '"').replace(" / 10 * 10", " // 10 * 10")
            return text.replace(" / 10 * 10", " div 10 * 10")

        queries = {name: rewrite(query) for name, query in self.queries.items()}
        return Workload(self.files, self.definitions, tuple(map(rewrite, self.views)), queries)


def flights() -> Workload:
    """Returns the workload of examples/flights.sql."""
    if not (FLIGHTS / "flights.parquet").is_file():
        raise SystemExit("The flights are not prepared. Run: python3 run.py flights")
    text = re.sub(r"--.*", "", (ROOT / "examples" / "flights.sql").read_text()).replace("data/flights", str(FLIGHTS))
    statements = [statement for part in text.split(";") if (statement := part.strip())]
    queries = [statement for statement in statements if statement.startswith("SELECT")]
    return Workload(
        files={path.stem: path for path in FLIGHTS.glob("*.parquet")},
        definitions=tuple(statement for statement in statements if statement.startswith("CREATE TABLE")),
        views=tuple(statement for statement in statements if statement.startswith("CREATE TEMPORARY VIEW")),
        queries={f"flights: query {number}": query for number, query in enumerate(queries, 1)},
    )


def orders(rows: int) -> Workload:
    """Returns generated orders and customers, which depend only on the number of rows."""
    folder = ROOT / "data" / "benchmark"
    files = {"orders": folder / f"orders-{rows}.parquet", "customers": folder / "customers.parquet"}
    if not all(path.is_file() for path in files.values()):
        folder.mkdir(parents=True, exist_ok=True)
        _write(files["customers"], [_customers()])
        _write(files["orders"], (_orders(start, min(CHUNK, rows - start)) for start in range(0, rows, CHUNK)))
    definitions = tuple(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{files[name]}')"
        for name, columns in TABLES.items()
    )
    return Workload(files, definitions, (), ORDERS_QUERIES)


def _customers() -> pa.Table:
    regions = pa.array(["north", "east", "south", "west", "overseas"])
    return pa.table({"customer": pa.array(range(CUSTOMERS), pa.int64()), "region": regions.take(_numbers(CUSTOMERS, 0, 5))})


def _orders(start: int, rows: int) -> pa.Table:
    statuses = pa.array(["open", "paid", "shipped", "returned"])
    return pa.table(
        {
            "id": pa.array(range(start, start + rows), pa.int64()),
            "customer": _numbers(rows, start + 1, CUSTOMERS),
            "status": statuses.take(_numbers(rows, start + 2, 4)),
            "quantity": _numbers(rows, start + 3, 50).cast(pa.int32()),
            "cents": _numbers(rows, start + 4, 1_000_000),
            "weight": pc.random(rows, initializer=start + 5),
        }
    )


def _numbers(rows: int, seed: int, below: int) -> pa.Array:
    return pc.floor(pc.multiply(pc.random(rows, initializer=seed), float(below))).cast(pa.int64())


def _write(path: Path, tables: Iterator[pa.Table] | list[pa.Table]) -> None:
    unfinished = path.with_suffix(".unfinished")
    writer = None
    for table in tables:
        writer = writer or pq.ParquetWriter(unfinished, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()
    unfinished.replace(path)


@dataclass(frozen=True)
class Pair:
    """Our engine and the other one: each can run a query to an Arrow table, or only plan it."""

    name: str
    ours: Callable[[str], pa.Table]
    theirs: Callable[[str], pa.Table]
    ours_plans: Callable[[str], object]
    theirs_plans: Callable[[str], object]
    their_workload: Workload


@contextmanager
def embedded_against_duckdb(workload: Workload) -> Iterator[Pair]:
    import duckdb

    from table_api import EnvironmentSettings, TableEnvironment

    theirs = workload.in_dialect("duckdb")
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment, duckdb.connect() as connection:
        _define(environment, workload)
        for name, path in theirs.files.items():
            connection.execute(f"CREATE VIEW {name} AS FROM '{path}'")
        for view in theirs.views:
            connection.execute(view)
        yield Pair(
            "embedded / DuckDB",
            ours=lambda query: environment.execute_sql(query).to_arrow(),
            theirs=lambda query: connection.sql(query).to_arrow_table(),
            ours_plans=environment.explain_sql,
            theirs_plans=lambda query: connection.execute(f"EXPLAIN {query}").fetchall(),
            their_workload=theirs,
        )


@contextmanager
def spark_against_spark_sql(workload: Workload) -> Iterator[Pair]:
    from pyspark.sql import SparkSession

    from table_api_bridge import SparkTableEnvironment

    theirs = workload.in_dialect("spark")
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("overhead")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    environment = SparkTableEnvironment.create(spark)
    _define(environment, workload)
    for name, path in theirs.files.items():
        spark.read.parquet(str(path)).createOrReplaceTempView(name)
    for view in theirs.views:
        spark.sql(view.replace("CREATE TEMPORARY VIEW", "CREATE OR REPLACE TEMPORARY VIEW"))
    try:
        yield Pair(
            "Spark engine / spark.sql",
            ours=lambda query: environment.execute_sql(query).to_arrow(),
            theirs=lambda query: spark.sql(query).toArrow(),
            ours_plans=lambda query: environment.to_data_frame(environment.sql_query(query)),
            theirs_plans=spark.sql,
            their_workload=theirs,
        )
    finally:
        spark.stop()


def _define(environment: Any, workload: Workload) -> None:
    for statement in (*workload.definitions, *workload.views):
        environment.execute_sql(statement)


PAIRS = {"arrow": embedded_against_duckdb, "spark": spark_against_spark_sql}


def _comparable(value: object) -> object:
    """Rounds numbers to nine significant digits, because engines add floating-point numbers in different orders."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    return float(f"{float(value):.9g}") if math.isfinite(value) else str(value)


def _require_equal(name: str, ours: pa.Table, theirs: pa.Table) -> None:
    rows = [sorted((tuple(map(_comparable, row.values())) for row in table.to_pylist()), key=repr) for table in (ours, theirs)]
    if rows[0] != rows[1]:
        differing = next((pair for pair in zip(*rows, strict=False) if pair[0] != pair[1]), (len(rows[0]), len(rows[1])))
        raise SystemExit(f"{name}: the engines disagree: ours {differing[0]}, theirs {differing[1]}")


def compare(pair: Pair, workload: Workload, rounds: int) -> list[tuple[float, float]]:
    """Prints one line for each query; returns the ratios with planning and without it."""
    ratios = []
    for name, query in workload.queries.items():
        queries = (query, pair.their_workload.queries[name])
        _require_equal(name, pair.ours(queries[0]), pair.theirs(queries[1]))  # also a warm-up of both
        ours, theirs, ratio = medians(interleaved(pair.ours, pair.theirs, queries, rounds))
        ours_plan, theirs_plan, _ = medians(interleaved(pair.ours_plans, pair.theirs_plans, queries, rounds))
        run_ratio = (ours - ours_plan) / (theirs - theirs_plan)
        print(f"{name:<34}{ours:>9.0f}{theirs:>9.0f}{ratio:>8.2f}{ours_plan:>12.1f}{theirs_plan:>9.1f}{run_ratio:>12.2f}", flush=True)
        ratios.append((ratio, run_ratio))
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=sorted(PAIRS), action="append", help="only this engine (default: both)")
    parser.add_argument("--rounds", type=int, default=7, help="timed rounds for each query (default: 7)")
    parser.add_argument("--rows", type=int, default=10_000_000, help="generated orders (default: 10000000)")
    parser.add_argument("--smoke", action="store_true", help="one round on little data, as a smoke test")
    arguments = parser.parse_args()
    rounds, rows = (1, 20_000) if arguments.smoke else (arguments.rounds, arguments.rows)
    for engine in arguments.engine or sorted(PAIRS):
        ratios = []
        for workload in (flights(), orders(rows)):
            with PAIRS[engine](workload) as pair:
                if not ratios:
                    print(f"\n{pair.name}, {rounds} rounds\n{'':<34}{'ours ms':>9}{'theirs':>9}{'ratio':>8}", end="")
                    print(f"{'plan: ours':>12}{'theirs':>9}{'run ratio':>12}")
                ratios += compare(pair, workload, rounds)
        total, running = zip(*ratios, strict=True)
        print(f"{pair.name}: median ratio {statistics.median(total):.2f}, without planning {statistics.median(running):.2f}", flush=True)


if __name__ == "__main__":
    main()
