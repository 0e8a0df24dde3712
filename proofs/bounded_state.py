"""State in event time is bounded: `python proofs/bounded_state.py [--rows 10000000] [--seed 1] [--only session]`.

Runs windows, joins of time and a pattern over one hour of event time. The rows are generated while the query runs; the keys in use change with time. After
each million rows, prints the most rows that the operators kept and the memory of the process without its free memory. Neither may grow by more than a tenth after the third million.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.python import register_callable, unregister_callable
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.state.freed_memory import return_memory

__all__ = ["QUERIES", "Growth", "kept_rows", "run"]

HOUR = 3_600_000
START = 1_767_225_600_000
BATCH = 20_000
TABLES = ("t", "u", "versions")
COLUMNS = "k BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
GROUPED = "SELECT window_end, k, COUNT(*), SUM(v) FROM TABLE({}) GROUP BY window_start, window_end, k"
PATTERN = """SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a, B.v AS b
    PATTERN (A C*? B) WITHIN INTERVAL '10' SECOND DEFINE A AS A.v < 100, B AS B.v >= 900)"""
QUERIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "hop": (GROUPED.format("HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '12' SECOND, INTERVAL '1' MINUTE)"), ("t",)),
    "session": (GROUPED.format("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND)"), ("t",)),
    "interval join": (
        "SELECT t.k, t.v, u.v FROM t LEFT JOIN u ON t.k = u.k AND t.ts BETWEEN u.ts - INTERVAL '1' SECOND AND u.ts + INTERVAL '1' SECOND",
        ("t", "u"),
    ),
    "versioned join": (
        "SELECT t.k, t.v, r.v FROM t JOIN versions FOR SYSTEM_TIME AS OF t.ts AS r ON t.v = r.k",
        ("t", "versions"),
    ),
    "pattern": (PATTERN, ("t",)),
}
"""The queries, each with the tables that it reads."""


@dataclass
class Growth:
    """For each part of the input, the most rows that the operators kept, and the resident memory in bytes at its end."""

    kept: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def faults(self, parts: int, *, with_memory: bool = True) -> list[str]:
        """Returns what grew by more than a tenth after the first ``parts`` parts."""
        measured = [("state", self.kept), *([("memory", self.memory)] if with_memory else [])]
        return [
            f"{name} grew from {numbers[parts - 1]} to {max(numbers[parts:])}"
            for name, numbers in measured
            if max(numbers[parts:]) > 1.1 * numbers[parts - 1]
        ]


def kept_rows(run: GraphRun) -> int:
    """Returns the rows in the state of all operators of a run, with the keys."""
    return sum(content.num_rows for snapshot in run.snapshot() for tables in snapshot.buckets.values() for content in tables.values())


def run(name: str, rows: int, parts: int, seed: int, report: Callable[[Growth], None] = lambda _: None) -> Growth:
    """Runs a query over rows of one hour; measures the state and memory in ``parts`` parts of the input."""
    query, tables = QUERIES[name]
    each = rows // len(tables)
    growth = Growth()
    push = GraphRun.push
    seen = 0
    most = 0

    def counted(self: GraphRun, edges: Any, batch: Any) -> None:
        nonlocal seen, most
        push(self, edges, batch)
        seen += batch.num_rows
        most = max(most, kept_rows(self))
        if seen * parts >= rows * (len(growth.kept) + 1):
            growth.kept.append(most)
            growth.memory.append(_resident())
            most = 0
            report(growth)

    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true")
    batch_rows = min(BATCH, max(each // (4 * parts), 1))
    for number, table in enumerate(TABLES):
        register_callable(table, _rows(table, each, batch_rows, seed + number))
        key = ", PRIMARY KEY (k) NOT ENFORCED" if table == "versions" else ""
        env.execute_sql(f"CREATE TEMPORARY TABLE {table} ({COLUMNS}{key}) WITH ('connector' = 'python', 'callable' = '{table}')")
    env.create_temporary_view("result", env.sql_query(query))
    columns = ", ".join(f"{column.name} {column.data_type}" for column in env.from_path("result").get_resolved_schema().columns)
    env.execute_sql(f"CREATE TEMPORARY TABLE sink ({columns}) WITH ('connector' = 'blackhole')")
    gc.collect()
    with mock.patch.object(GraphRun, "push", counted):
        env.execute_sql("INSERT INTO sink SELECT * FROM `result`")
    env.close()
    for table in TABLES:
        unregister_callable(table)
    return growth


def _rows(table: str, rows: int, batch_rows: int, seed: int) -> Callable[[], Iterator[pa.RecordBatch]]:
    """Returns a function that yields rows of one hour; a tenth of them come up to a second late, and 100 new keys replace old ones each second."""

    def batches() -> Iterator[pa.RecordBatch]:
        chance = np.random.default_rng(seed)
        for start in range(0, rows, batch_rows):
            count = min(batch_rows, rows - start)
            times = (start + np.arange(count)) * HOUR // rows
            keys = chance.integers(0, 1000, count) if table == "versions" else times // 10 + chance.integers(0, 10_000, count)
            times -= np.where(chance.random(count) < 0.1, chance.integers(0, 1000, count), 0)
            values = chance.integers(0, 1000, count)
            yield pa.record_batch([keys, values, pa.array(START + times, pa.timestamp("ms"))], names=["k", "v", "ts"])

    return batches


def _resident() -> int:
    """Returns the resident memory without what the allocator keeps free (up to some 60 MB), which a run of this length only begins to fill."""
    return_memory()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main() -> None:
    """Runs the chosen queries; fails if state or memory grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the names of the queries to run")
    arguments = parser.parse_args()
    failed = False
    for name in QUERIES:
        if arguments.only not in name:
            continue
        print(f"{name}, {arguments.rows} rows, seed {arguments.seed}\n{'tenth':>10} {'rows kept':>12} {'MB':>8}")
        growth = run(
            name,
            arguments.rows,
            10,
            arguments.seed,
            lambda one: print(f"{len(one.kept):10} {one.kept[-1]:12} {one.memory[-1] / 1e6:8.0f}", flush=True),
        )
        faults = growth.faults(3)
        failed |= bool(faults)
        print("flat" if not faults else "; ".join(faults), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
