"""Start-up time: importing table_api, the first embedded query on a small file, and a join of Parquet files beside DuckDB, in a fresh process.

    python benchmarks/startup.py [--rounds 9] [--scale 0.01] [--smoke]

Each round starts a new interpreter. Prints medians, the modules that are loaded, and the slowest imports. The join is query 3 of TPC-DS over three files;
its times are those of the whole process, of DuckDB and of this project alternately: the API, the API without pandas (if that is installed),
and the SQL client with ``-f``. It needs duckdb-extension-tpcds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from harness.tpc import Workload, load

IMPORT = """
from time import perf_counter
started = perf_counter()
import table_api
print(perf_counter() - started)
"""
ENVIRONMENT = """
from table_api import EnvironmentSettings, TableEnvironment
environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
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
VALUES = f"""
from time import perf_counter
started = perf_counter()
{ENVIRONMENT}
rows = list(environment.execute_sql("SELECT a + 1 FROM (VALUES (1), (2)) AS t (a) WHERE a > 1").collect())
print(perf_counter() - started)
"""
WARM = f"""
from statistics import median
from time import perf_counter
{ENVIRONMENT}
taken = []
for _ in range(300):
    started = perf_counter()
    list(environment.execute_sql("SELECT 1").collect())
    taken.append(perf_counter() - started)
print(median(taken[100:]))
"""
MODULES = "\nimport sys\nprint(len(sys.modules))"
WITHOUT_PANDAS = "import sys\nsys.modules['pandas'] = None\n"
LIMITS = {
    "import table_api": 150,
    "create, first embedded query": 300,
    "import, create, first query": 450,
    "import, create, VALUES": 250,
    "SELECT 1 in a warm session": 0.6,
}
"""Targets in milliseconds, on an idle machine with cached files."""
TABLES = ("date_dim", "store_sales", "item")
QUERY = 3
DATA = Path(__file__).parents[1] / "data" / "tpc"


def output(command: Sequence[str]) -> str:
    """Runs a command to its end and returns what it prints."""
    compiling = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # as packages are installed
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=compiling)
    if finished.returncode:
        raise SystemExit(finished.stderr)
    return finished.stdout


def number(program: str) -> float:
    """Runs the program in a fresh interpreter and returns the last number that it prints."""
    return float(output([sys.executable, "-c", program]).splitlines()[-1])


def slowest_imports(count: int) -> list[str]:
    """Returns the lines of `-X importtime` with the largest self times."""
    finished = subprocess.run([sys.executable, "-X", "importtime", "-c", "import table_api"], capture_output=True, text=True, check=True)
    timed = [line.removeprefix("import time:").split("|") for line in finished.stderr.splitlines() if line.startswith("import time:")]
    own = sorted(((int(own), name.strip()) for own, _, name in timed if own.strip().isdigit()), reverse=True)
    return [f"{microseconds / 1000:8.1f} ms  {name}" for microseconds, name in own[:count]]


def print_first_queries(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "small.csv")
        file.write_text("1,one\n2,two\n3,three\n4,two\n")
        query = FIRST_QUERY.replace("{path}", str(file))
        programs = {
            "import table_api": IMPORT,
            "create, first embedded query": query.replace("{with_import}", "False"),
            "import, create, first query": query.replace("{with_import}", "True"),
            "import, create, VALUES": VALUES,
            "SELECT 1 in a warm session": WARM,
        }
        for name, program in programs.items():
            number(program)  # compiles the modules and warms the file cache
            taken = statistics.median(number(program) for _ in range(rounds)) * 1000
            print(f"{name:<30}{taken:>8.1f} ms   (promised: {LIMITS[name]} ms)   {number(program + MODULES):>6.0f} modules")


def print_join(workload: Workload, rounds: int) -> None:
    """Prints the wall times of the join, each in a process of its own, one after the other in each round."""
    definitions = [text for text in workload.definitions if text.split()[2] in TABLES]
    views = [f"CREATE VIEW {table} AS FROM '{workload.files[table]}'" for table in TABLES]
    duckdb = f"import duckdb\nconnection = duckdb.connect()\nfor text in {views!r}: connection.execute(text)\n"
    duckdb += f"connection.execute({workload.duckdb_queries[QUERY]!r}).fetchall()"
    join = f"{ENVIRONMENT}\nfor text in {definitions!r}: environment.execute_sql(text)\n"
    join += f"list(environment.execute_sql({workload.queries[QUERY]!r}).collect())\n"
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "join.sql")
        script.write_text(";\n".join([*definitions, workload.queries[QUERY], ""]))
        run = [sys.executable, "-c"]
        commands = {
            "DuckDB": [*run, duckdb],
            "API": [*run, join],
            "API without pandas": [*run, WITHOUT_PANDAS + join],
            "sql-client -f": [*run, "from sql_client.cli import main; main()", "--mode", "batch", "-f", str(script)],
        }
        if find_spec("pandas") is None:
            del commands["API without pandas"]
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(rounds + 1):
            for name, command in commands.items():
                started = perf_counter()
                output(command)
                if turn:  # the first one compiles the modules and warms the file cache
                    taken[name].append(perf_counter() - started)
    base = statistics.median(taken["DuckDB"])
    pandas = "installed" if find_spec("pandas") else "not installed"
    print(f"\nA process with query {QUERY} of TPC-DS over three Parquet files; pandas is {pandas}")
    for name, times in taken.items():
        print(f"{name:<30}{statistics.median(times) * 1000:>8.1f} ms   {statistics.median(times) / base:6.2f} × DuckDB")
    print(f"{'modules':<30}{number(join + MODULES):>8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="interpreters started for each number (default: 9)")
    parser.add_argument("--scale", type=float, default=0.01, help="scale of TPC-DS (default: 0.01)")
    parser.add_argument("--smoke", action="store_true", help="one round, as a smoke test")
    arguments = parser.parse_args()
    rounds = 1 if arguments.smoke else arguments.rounds
    print_first_queries(rounds)
    if find_spec("duckdb_extension_tpcds"):
        print_join(load("tpcds", arguments.scale, DATA), rounds)
    print("\nslowest imports:", *slowest_imports(6), sep="\n")


if __name__ == "__main__":
    main()
