"""Start-up time: importing table_api, and ``TableEnvironment.create`` with the first embedded query on a small file, in a fresh process.

    python benchmarks/startup.py [--rounds 9] [--smoke]

Each round starts a new interpreter. Prints medians and the slowest imports. If pandas is installed, pyarrow imports it,
which takes longer than all other imports; the script reports this.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

IMPORT = """
from time import perf_counter
started = perf_counter()
import table_api
print(perf_counter() - started)
"""
FIRST_QUERY = """
from time import perf_counter
begun = perf_counter()
from table_api import EnvironmentSettings, TableEnvironment
started = begun if {with_import} else perf_counter()
settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
environment = TableEnvironment.create(settings)
environment.execute_sql("CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')")
rows = list(environment.execute_sql("SELECT b, SUM(a) AS total FROM t WHERE a > 1 GROUP BY b ORDER BY b").collect())
print(perf_counter() - started)
assert len(rows) == 2, rows
"""
LIMITS = {"import table_api": 150, "create, first embedded query": 300, "import, create, first query": 450}
"""Targets in milliseconds, on an idle machine with cached files."""


def seconds(program: str) -> float:
    """Runs the program in a fresh interpreter and returns the last number that it prints."""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if finished.returncode:
        raise SystemExit(finished.stderr)
    return float(finished.stdout.splitlines()[-1])


def slowest_imports(count: int) -> list[str]:
    """Returns the lines of `-X importtime` with the largest self times."""
    finished = subprocess.run([sys.executable, "-X", "importtime", "-c", "import table_api"], capture_output=True, text=True, check=True)
    timed = [line.removeprefix("import time:").split("|") for line in finished.stderr.splitlines() if line.startswith("import time:")]
    own = sorted(((int(own), name.strip()) for own, _, name in timed if own.strip().isdigit()), reverse=True)
    return [f"{microseconds / 1000:8.1f} ms  {name}" for microseconds, name in own[:count]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="interpreters started for each number (default: 9)")
    parser.add_argument("--smoke", action="store_true", help="one round, as a smoke test")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "small.csv")
        file.write_text("1,one\n2,two\n3,three\n4,two\n")
        query = FIRST_QUERY.replace("{path}", str(file))
        programs = {
            "import table_api": IMPORT,
            "create, first embedded query": query.replace("{with_import}", "False"),
            "import, create, first query": query.replace("{with_import}", "True"),
        }
        for name, program in programs.items():
            seconds(program)  # compiles the modules and warms the file cache
            taken = statistics.median(seconds(program) for _ in range(1 if arguments.smoke else arguments.rounds)) * 1000
            print(f"{name:<30}{taken:>7.0f} ms   (promised: {LIMITS[name]} ms)")
    print("slowest imports:", *slowest_imports(6), sep="\n")
    if find_spec("pandas"):
        print("pandas is installed here, and pyarrow loads it")


if __name__ == "__main__":
    main()
