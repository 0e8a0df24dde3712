"""Throughput of unbounded queries: rows of ``datagen`` per second, and the memory of a job whose sink is slow.

    python benchmarks/unbounded.py [--seconds 10] [--smoke]

Each query reads an unbounded ``datagen`` table as fast as it can and writes to ``blackhole``, with epochs of a second. Rows per processor second are those of all
threads together; on two cores twice as many are possible if the threads wait for nothing. ``share`` is how much of two cores the job used.
The last case writes 1,000 rows a second through a Python function: the memory must not grow, and the source must wait.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

from table_api import EnvironmentSettings, JobClient, TableEnvironment
from table_runtime.connectors.python import register_callable, unregister_callable

COLUMNS = "id BIGINT, k INT, v BIGINT"
OPTIONS = (
    "'connector' = 'datagen', 'rows-per-second' = '1000000000', 'fields.id.min' = '0', 'fields.id.max' = '1000000',"
    " 'fields.k.min' = '0', 'fields.k.max' = '9999', 'fields.v.min' = '0', 'fields.v.max' = '1000', 'seed' = '1'"
)
CASES = {
    "stateless": ("id BIGINT, w BIGINT", "SELECT id, v * 2 + 1 FROM g WHERE k < 9000", 2_000_000),
    "keyed aggregate": (
        "k INT, n BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED",
        "SELECT k, COUNT(*), SUM(v) FROM g GROUP BY k",
        1_000_000,
    ),
}
SINK_ROWS = 1_000
"""Rows per second of the slow sink."""


@contextmanager
def environment() -> Iterator[TableEnvironment]:
    """Gives an environment in streaming mode with the table ``g``."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.execute_sql(f"CREATE TABLE g ({COLUMNS}) WITH ({OPTIONS})")
    try:
        yield env
    finally:
        env.close()


def started(env: TableEnvironment, statement: str) -> JobClient:
    """Starts an INSERT."""
    client = env.execute_sql(statement).get_job_client()
    assert client is not None
    return client


def rows_read(client: JobClient) -> int:
    """Returns how many rows the job has taken of its source."""
    return int(sum(value for name, value in client.get_metrics().items() if name.startswith("Source[") and name.endswith("numRecordsOut")))


def resident_mebibytes() -> float:
    """Returns the memory of the process now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / (1 << 20)


def measure(name: str, seconds: float) -> None:
    """Prints the throughput of a case."""
    columns, query, target = CASES[name]
    with environment() as env:
        env.execute_sql(f"CREATE TABLE o ({columns}) WITH ('connector' = 'blackhole')")
        client = started(env, f"INSERT INTO o {query}")
        while rows_read(client) == 0:
            time.sleep(0.01)
        time.sleep(min(2.0, seconds / 2))
        rows, began, used = rows_read(client), time.monotonic(), time.process_time()
        time.sleep(seconds)
        rows, wall, used = rows_read(client) - rows, time.monotonic() - began, time.process_time() - used
        client.end()
    print(
        f"{name:16} {rows / wall / 1e6:6.2f} M rows/s   {rows / used / 1e6:6.2f} M rows per processor second   "
        f"share {used / wall / 2:4.0%} of 2 cores   target {target / 1e6:.0f} M rows/s"
    )


def measure_back_pressure(seconds: float) -> None:
    """Prints the memory of a job whose sink takes 1,000 rows a second."""
    taken = 0

    def take(batch: object) -> None:
        nonlocal taken
        rows = getattr(batch, "num_rows", 0)
        for start in range(0, rows, SINK_ROWS // 10):
            time.sleep(min(SINK_ROWS // 10, rows - start) / SINK_ROWS)
            taken += min(SINK_ROWS // 10, rows - start)

    register_callable("slow", take)
    with environment() as env:
        env.execute_sql("CREATE TABLE o (id BIGINT, k INT, v BIGINT) WITH ('connector' = 'python', 'sink.callable' = 'slow')")
        client = started(env, "INSERT INTO o SELECT id, k, v FROM g")
        while not taken:
            time.sleep(0.01)
        time.sleep(min(2.0, seconds / 2))
        memory, used, highest, deadline = resident_mebibytes(), time.process_time(), 0.0, time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(0.1)
            highest = max(highest, resident_mebibytes())
        used = time.process_time() - used
        print(
            f"{'back-pressure':16} {taken:,} rows taken, {rows_read(client):,} read; memory {memory:.0f} MiB, at most {highest:.0f} MiB"
            f" in the next {seconds:g} s ({highest / memory - 1:+.1%}); {used / seconds:.0%} of a core"
        )
        client.cancel()
    unregister_callable("slow")


def main() -> None:
    """Runs all cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each case is measured")
    parser.add_argument("--smoke", action="store_true", help="a short run of each case")
    arguments = parser.parse_args()
    seconds = 0.5 if arguments.smoke else arguments.seconds
    print(f"load {os.getloadavg()[0]:.1f}")
    for name in CASES:
        measure(name, seconds)
    measure_back_pressure(seconds)


if __name__ == "__main__":
    main()
