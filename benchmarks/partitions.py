"""Partitioned file tables: writes many rows to many partitions, then reads one partition; prints the times and the number of files.

    python benchmarks/partitions.py [--planner arrow|spark] [--rows 1000000] [--partitions 2000] [--format parquet] [--smoke]

Seconds are wall-clock time. The second write counts, because the first includes the start of the engine.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from table_api import EnvironmentSettings, TableEnvironment

COLUMNS = "id BIGINT, amount DOUBLE, name STRING, p INT"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planner", default="arrow")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=2_000)
    parser.add_argument("--format", default="parquet")
    parser.add_argument("--smoke", action="store_true", help="few rows and partitions, as a smoke test")
    arguments = parser.parse_args()
    rows, partitions = (2_000, 20) if arguments.smoke else (arguments.rows, arguments.partitions)
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(arguments.planner).build()
    env = TableEnvironment.create(settings)
    env.get_config().set("table.dml-sync", "true")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "source").mkdir()
        pyarrow.parquet.write_table(_rows(rows, partitions), f"{folder}/source/rows.parquet", row_group_size=max(rows // 4, 1))
        _table(env, "source", f"{folder}/source", "parquet")
        for name in ("cold", "warm"):
            _table(env, name, f"{folder}/{name}", arguments.format, "PARTITIONED BY (p) ")
            seconds = _seconds(env, f"INSERT INTO {name} SELECT * FROM source")
            files = sum(1 for path in (Path(folder) / name).rglob("*") if path.is_file())
            print(f"{name} write of {rows} rows into {partitions} partitions: {seconds:.2f} s, {files} files")
        for name in ("cold", "warm"):
            print(f"one partition of {partitions}: {_seconds(env, f'SELECT COUNT(*), SUM(amount) FROM {name} WHERE p = 7'):.3f} s")
        print(f"all partitions: {_seconds(env, 'SELECT COUNT(*), SUM(amount) FROM warm'):.2f} s")
    env.close()


def _rows(rows: int, partitions: int) -> pa.Table:
    numbers = random.Random(1)
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "amount": pa.array([numbers.random() for _ in range(rows)], pa.float64()),
            "name": pa.array([f"name {number % 9_999}" for number in range(rows)], pa.string()),
            "p": pa.array([numbers.randrange(partitions) for _ in range(rows)], pa.int32()),
        }
    )


def _table(env: TableEnvironment, name: str, path: str, format_: str, partitioned: str = "") -> None:
    env.execute_sql(
        f"CREATE TABLE {name} ({COLUMNS}) {partitioned}WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}')"
    )


def _seconds(env: TableEnvironment, statement: str) -> float:
    start = time.perf_counter()
    list(env.execute_sql(statement).collect())
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
