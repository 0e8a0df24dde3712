"""Programs run without what only some systems have: ``fcntl``, ``resource``, ``/proc``, hard links, folders that can be opened, ``sysconf``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

ROOT = Path(__file__).parents[2]
HIDDEN = """
import builtins, io, os, sys

for name in ("fcntl", "resource"):
    sys.modules[name] = None
for name in ("link", "O_DIRECTORY", "sysconf", "fchmod", "geteuid", "getuid"):
    delattr(os, name)


def without_proc(function):
    def opened(path, *args, **kwargs):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return function(path, *args, **kwargs)

    return opened


os.open = without_proc(os.open)
builtins.open = io.open = without_proc(io.open)
"""
PROGRAM = """
import time
from pathlib import Path

from table_api import EnvironmentSettings, TableEnvironment

settings = EnvironmentSettings.new_instance().with_planner("arrow")
with TableEnvironment.create(settings.in_batch_mode().build()) as env:
    env.execute_sql("CREATE TABLE t (a INT, p STRING) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'out')")
    env.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    env.execute_sql("INSERT OVERWRITE t VALUES (3, 'x')").wait()
    env.execute_sql("INSERT INTO t VALUES (4, 'x')").wait()
    assert sorted(map(tuple, env.execute_sql("SELECT * FROM t").collect())) == [(2, "y"), (3, "x"), (4, "x")]
    env.execute_sql("CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = 'catalog.db')")

source = Path("in")
source.mkdir()
(source / "one.csv").write_text("1\\n2\\n")
for _ in range(2):
    with TableEnvironment.create(settings.in_streaming_mode().build()) as env:
        env.get_config().set("execution.checkpointing.dir", "checkpoints").set("execution.checkpointing.interval", "100 ms")
        env.execute_sql(
            "CREATE TABLE s (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'in', 'source.monitor-interval' = '50 ms')"
        )
        env.execute_sql("CREATE TABLE o (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'streamed')")
        env.get_config().set("pipeline.name", "copy")
        job = env.execute_sql("INSERT INTO o SELECT a FROM s").get_job_client()
        expected = sorted(line for file in source.iterdir() for line in file.read_text().split())
        end = time.monotonic() + 60
        while sorted(line for file in Path("streamed").glob("[!._]*") for line in file.read_text().split()) != expected:
            assert time.monotonic() < end, (expected, list(Path("streamed").rglob("*")))
            time.sleep(0.05)
        job.cancel().result()
    (source / "two.csv").write_text("3\\n")
print("done")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(HIDDEN)
    tables = tmp_path / "data" / "flights"
    tables.mkdir(parents=True)
    delays = pa.array([5, None, -3], pa.int32())
    flights = pa.table({"carrier": ["AA", "DL", "AA"], "origin": ["JFK", "JFK", "LGA"], "arr_delay": delays})
    pa.parquet.write_table(flights, tables / "flights.parquet")
    pa.parquet.write_table(pa.table({"carrier": ["AA", "DL"], "name": ["American", "Delta"]}), tables / "airlines.parquet")
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder / "hidden")}
    finished = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert finished.returncode == 0, finished.stderr + finished.stdout
    return finished.stdout


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_what_is_hidden_is_missing(folder: Path) -> None:
    program = "import os\ntry:\n    import fcntl\nexcept ImportError:\n    print(hasattr(os, 'link'), os.path.exists('/proc/self'))"
    assert run([sys.executable, "-c", program], folder) == "False True\n"


def test_the_sql_of_the_readme_runs(folder: Path) -> None:
    (folder / "example.sql").write_text(blocks("sql")[0])
    assert "Delta" in run([str(Path(sys.executable).with_name("sql-client")), "-f", "example.sql"], folder)


@pytest.mark.parametrize("number", range(2), ids=["Table API", "user functions"])
def test_programs_of_the_readme_run(folder: Path, number: int) -> None:
    run([sys.executable, "-c", blocks("python")[number]], folder)


def test_tables_are_written_in_batch_and_by_a_job_that_restarts(folder: Path) -> None:
    assert run([sys.executable, "-c", PROGRAM], folder) == "done\n"
