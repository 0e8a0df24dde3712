from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DIES_WHILE_WRITING = """
import os, signal, sys
from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.sinks import partition_files

write, calls = partition_files.PartitionFiles.write, []
def write_once_then_die(self, batch):
    if calls:
        os.kill(os.getpid(), signal.SIGKILL)
    calls.append(1)
    write(self, batch)
partition_files.PartitionFiles.write = write_once_then_die

path, statement = sys.argv[1:]
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
env.execute_sql(f"CREATE TABLE t (x INT) WITH ('connector'='filesystem', 'path'='{path}', 'format'='csv')")
env.execute_sql(f"{statement} SELECT 7 UNION ALL SELECT RAND_INTEGER(8)").wait()
"""


@pytest.mark.parametrize("statement", ["INSERT INTO t", "INSERT OVERWRITE t"])
def test_a_killed_insert_leaves_the_table_as_it_was(env: Any, query: Any, tmp_path: Path, statement: str) -> None:
    path = tmp_path / "t"
    env.execute_sql(f"CREATE TABLE t (x INT) WITH ('connector'='filesystem', 'path'='{path}', 'format'='csv')")
    query("INSERT INTO t VALUES (1)")
    before = sorted(path.glob("[!.]*"))
    command = [sys.executable, "-c", DIES_WHILE_WRITING, str(path), statement]
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == -signal.SIGKILL
    assert sorted(path.glob("[!.]*")) == before
    assert query("SELECT x FROM t") == [(1,)]
    query("INSERT INTO t VALUES (2)")
    assert query("SELECT x FROM t ORDER BY x") == [(1,), (2,)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["t"]
    assert not list(path.glob(".*"))
