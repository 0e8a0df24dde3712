"""Latency of SHOW TABLES and of name resolution in a catalog with many tables, in memory and in a SQLite file.

    python benchmarks/catalog.py [--tables 1000] [--rounds 50] [--smoke]

SHOW TABLES is measured from the text to the rows. Name resolution returns the table with its schema and types, as in every query.
Prints medians, and the target for 1,000 tables.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from table_api import EnvironmentSettings, TableEnvironment
from table_common.catalog import CatalogTable, ObjectPath, Schema

LIMIT = 20
"""The target for each operation in milliseconds, on an idle machine."""


@contextmanager
def environment(kind: str, tables: int) -> Iterator[TableEnvironment]:
    """Returns an environment whose current catalog, ``generic_in_memory`` or ``sqlite``, has this number of tables."""
    with tempfile.TemporaryDirectory() as folder, TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        path = f", 'path' = '{Path(folder) / 'catalog.db'}'" if kind == "sqlite" else ""
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = '{kind}'{path})")
        env.use_catalog("c")
        catalog = env.get_catalog("c")
        assert catalog is not None
        builder = Schema.new_builder()
        for number in range(20):
            builder.column(f"c{number}", "DECIMAL(10, 2)" if number % 2 else "STRING")
        table = CatalogTable(builder.build(), "a table", {"connector": "filesystem", "path": "/data", "format": "parquet"}, ("c0",))
        with catalog.transaction():
            for number in range(tables):
                catalog.create_table(ObjectPath("default", f"table_{number:05}"), table, False)
        yield env


def measure(env: TableEnvironment, tables: int, rounds: int, clock: Callable[[], float] = perf_counter) -> dict[str, float]:
    """Returns the median milliseconds of each operation by a clock."""

    def show() -> None:
        with env.execute_sql("SHOW TABLES").collect() as rows:
            assert sum(1 for _ in rows) == tables

    def resolve() -> None:
        assert env.session.catalog_manager.find_table(("c", "default", f"table_{tables // 2:05}")) is not None

    return {"SHOW TABLES": _median(show, rounds, clock), "resolving a name": _median(resolve, rounds, clock)}


def _median(call: Callable[[], None], rounds: int, clock: Callable[[], float]) -> float:
    taken = []
    for _ in range(rounds):
        started = clock()
        call()
        taken.append((clock() - started) * 1000)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--smoke", action="store_true", help="few tables and one round, as a smoke test")
    arguments = parser.parse_args()
    tables, rounds = (10, 1) if arguments.smoke else (arguments.tables, arguments.rounds)
    print(f"{tables} tables, {rounds} rounds; the target is {LIMIT} ms each for 1,000 tables")
    for kind in ("generic_in_memory", "sqlite"):
        with environment(kind, tables) as env:
            for name, milliseconds in measure(env, tables, rounds).items():
                print(f"{kind:18} {name:18} {milliseconds:8.2f} ms")


if __name__ == "__main__":
    main()
