"""Inputs larger than memory: `python proofs/spill.py [--budget 256] [--times 4] [--only join]`.

A join, an aggregate, a sort, a window and a DISTINCT read a Parquet file of random rows that takes ``times`` times the budget (in MiB) in memory. Each runs in a
process of its own, whose data the system limits (``RLIMIT_DATA``). Its result is compared with DuckDB's. Prints the peak of the resident memory over what was in use after the
imports, and what was spilled. The peak may exceed the budget by 300 MiB.

Then each runs again with a file system of 64 MiB for the spilled rows (as root), or with files that end at 16 MiB: the error must be ours, and nothing may stay.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["QUERIES", "write_input"]

MIB = 1 << 20
ALLOWED = 300 * MIB
RESERVED = 1536 * MIB
"""Address space that allocators and stacks of threads reserve without using it; ``RLIMIT_DATA`` counts it."""
BATCH = 100_000
ROW_BYTES = 8 + 8 + 4 + 40
SMALL_DISK = 64 * MIB
SMALL_FILE = 16 * MIB

QUERIES = {
    "join": "SELECT COUNT(*), SUM(a.v + b.v), MAX(a.s) FROM t AS a JOIN t AS b ON a.k = b.v",
    "aggregate": "SELECT COUNT(*), SUM(c), MAX(s) FROM (SELECT k, s, SUM(v) AS c FROM t GROUP BY k, s) AS g",
    "sort": "SELECT COUNT(*), SUM(k), MIN(s) FROM (SELECT * FROM t ORDER BY s, k OFFSET 1000 ROWS) AS o",
    "window": "SELECT COUNT(*), SUM(r), MAX(s) FROM (SELECT s, SUM(v) OVER (PARTITION BY MOD(k, 1000) ORDER BY s, k, v) AS r FROM t) AS w",
    "distinct": "SELECT COUNT(*), SUM(v), MAX(s) FROM (SELECT DISTINCT k, v, s FROM t) AS d",
}
"""The statements, each with one row as its result, which both engines know."""
CHILD = """
import json, resource, sys

import pyarrow.parquet

from table_api import EnvironmentSettings, TableEnvironment

def in_use(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(field))

path, statement, budget, most, folder, file_size = sys.argv[1:]
settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
environment = TableEnvironment.create(settings)
environment.execute_sql("SELECT 1").collect().close()
environment.execute_sql(
    f"CREATE TABLE t (k BIGINT, v BIGINT, s STRING) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')"
)
imported = in_use("VmRSS")
environment.get_config().set("table.exec.memory", f"{imported + int(budget)} bytes")
environment.get_config().set("table.exec.spill.dir", folder)
resource.setrlimit(resource.RLIMIT_DATA, (in_use("VmData") + int(most),) * 2)
if int(file_size):
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_size),) * 2)
try:
    with environment.execute_sql(statement).collect() as rows:
        outcome = {"row": [str(value) for value in next(iter(rows))]}
except Exception as failure:
    outcome = {"error": f"{type(failure).__name__}: {failure}"}
outcome["peak"] = in_use("VmHWM") - imported
print(json.dumps(outcome))
"""


def write_input(path: Path, size: int, seed: int) -> int:
    """Writes random rows that take ``size`` bytes in memory; returns their number."""
    rows = size // ROW_BYTES
    schema = pa.schema({"k": pa.int64(), "v": pa.int64(), "s": pa.string()})
    random = np.random.default_rng(seed)
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, BATCH):
            count = min(BATCH, rows - start)
            texts = pa.FixedSizeBinaryArray.from_buffers(pa.binary(20), count, [None, pa.py_buffer(random.bytes(20 * count))])
            hexadecimal = pa.array([value.hex() for value in texts.to_pylist()], pa.string())
            numbers = [random.integers(0, rows, count) for _ in range(2)]
            writer.write_table(pa.table([*map(pa.array, numbers), hexadecimal], schema=schema))
    return rows


def run(path: Path, statement: str, budget: int, folder: str, file_size: int = 0) -> dict[str, object]:
    """Runs the statement in a process of its own; returns its row or its error, and its peak in bytes."""
    arguments = [str(path), statement, str(budget), str(budget + ALLOWED + RESERVED), folder, str(file_size)]
    finished = subprocess.run([sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=False)
    if finished.returncode:
        died = f"ended with {finished.returncode}: {finished.stderr[-500:]}"
        return {"error": died, "peak": 0}
    answer: dict[str, object] = json.loads(finished.stdout.splitlines()[-1])
    return answer


def expected(path: Path, statement: str) -> list[str]:
    """Returns the row of DuckDB for the statement."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW t AS SELECT * FROM '{path}'")
        row = connection.execute(statement.replace("OFFSET 1000 ROWS", "LIMIT 1000000000000 OFFSET 1000")).fetchone()
    assert row is not None
    return [str(value) for value in row]


@contextmanager
def full_disk(folder: Path) -> Iterator[tuple[str, int]]:
    """Yields a folder on a small file system and no limit of files, or, without the right to mount, a folder and a limit in bytes."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    if os.geteuid() == 0 and subprocess.run(mount, check=False, capture_output=True).returncode == 0:
        try:
            yield str(folder), 0
        finally:
            subprocess.run(["umount", str(folder)], check=True)
    else:
        yield str(folder), SMALL_FILE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=256, help="MiB over the memory in use after the imports")
    parser.add_argument("--times", type=float, default=4.0, help="size of the input, in budgets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(QUERIES))
    arguments = parser.parse_args()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    budget = arguments.budget * MIB
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="spill-proof-") as name:
        path = Path(name) / "t.parquet"
        rows = write_input(path, int(budget * arguments.times), arguments.seed)
        print(f"{rows} rows, {arguments.times:g} times {arguments.budget} MiB, seed {arguments.seed}", flush=True)
        for query, statement in QUERIES.items():
            if arguments.only not in (None, query):
                continue
            spilled = Path(name) / "spilled"
            spilled.mkdir(exist_ok=True)
            outcome = run(path, statement, budget, str(spilled))
            wanted = expected(path, statement)
            peak = int(str(outcome["peak"]))
            fault = "" if outcome.get("row") == wanted else f"  WRONG: {outcome.get('error', outcome.get('row'))}, not {wanted}"
            fault += "" if peak <= budget + ALLOWED else "  TOO MUCH"
            fault += f"  LEFT {list(spilled.iterdir())}" if any(spilled.iterdir()) else ""
            print(f"{query:<10} peak {peak / MIB:6.0f} MiB{fault}", flush=True)
            with full_disk(Path(name) / "small") as (folder, file_size):
                failed = run(path, statement, budget, folder, file_size)
                left = list(Path(folder).iterdir())
            error = str(failed.get("error", "none"))
            is_ours = error.startswith("TableRuntimeException") and not left
            print(f"{'':<10} full disk: {error.splitlines()[0][:200]}{'' if is_ours else f'  WRONG, left {left}'}", flush=True)
            wrong += bool(fault) + (not is_ours)
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB; {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
