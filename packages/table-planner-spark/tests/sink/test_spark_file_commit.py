"""Writes of Spark that are killed: they have happened as a whole or not at all, for every engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_runtime.files import visible_files

DIES_WHILE_PUBLISHING = """
import os, signal, sys
from pathlib import Path
from table_common.connector import FileSinkProvider
from table_common.types import IntType, RowField, RowType
from table_planner_spark.sink.files import Staged
from table_runtime.files import StagedWrite

path, keys, overwrite, *names = sys.argv[1:]
provider = FileSinkProvider(
    path, "csv", RowType((RowField("id", IntType()),)), partition_keys=tuple(keys.split()), overwrite=overwrite == "overwrite"
)
staged = Staged(provider, StagedWrite(Path(path), "job"))
staged.change.begin()
for name in names:
    file = staged.change.folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("7\\n")
moved, replace = [], os.replace
def die_after_one_move(source, target):
    if str(target).endswith(".csv"):
        if moved:
            os.kill(os.getpid(), signal.SIGKILL)
        moved.append(target)
    replace(source, target)
os.replace = die_after_one_move
staged.publish()
"""

DIES_WHILE_WRITING = """
import os, signal, sys, threading
from pathlib import Path
from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

path = Path(sys.argv[1])
def die_when_a_file_is_being_written():
    while not list(path.parent.glob(".staging-*/**/part-*.csv")):
        threading.Event().wait(0.02)
    os.killpg(0, signal.SIGKILL)  # Spark's processes too
spark = local_session("local[1]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"})
env = SparkTableEnvironment.create(spark, Configuration({"table.dml-sync": "true"}))
env.execute_sql(f"CREATE TEMPORARY TABLE t (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')")
env.create_temporary_view("endless", env.from_data_frame(spark.range(10**15)))
threading.Thread(target=die_when_a_file_is_being_written, daemon=True).start()
env.execute_sql("INSERT OVERWRITE t SELECT id FROM endless")
"""


def _killed(program: str, scratch: Path, *arguments: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        start_new_session=True,
    )
    assert finished.returncode == -signal.SIGKILL, finished.stderr


def _create(run: Any, path: Path, more: str = "") -> None:
    run.environment.execute_sql(
        f"CREATE TEMPORARY TABLE t (id INT{', d STRING' if more else ''}) {more} "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Where a table may be: nothing else is in the folder above it."""
    return tmp_path / "tables" / "a table"


@pytest.mark.parametrize(("overwrite", "expected"), [("append", [(1,), (7,), (7,)]), ("overwrite", [(7,), (7,)])])
def test_a_write_killed_while_it_publishes_is_read_as_a_whole(
    run: Any, tmp_path: Path, table: Path, overwrite: str, expected: list[tuple[int]]
) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    _killed(DIES_WHILE_PUBLISHING, tmp_path, str(table), "", overwrite, "a.csv", "b.csv")
    assert sorted((int(file.read_text()),) for _, file in visible_files(table)) == expected
    assert run.rows("SELECT id FROM t ORDER BY id") == expected


def test_partitions_killed_while_they_are_published_are_read_as_a_whole(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table, "PARTITIONED BY (d)")
    run.environment.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    _killed(DIES_WHILE_PUBLISHING, tmp_path, str(table), "d", "overwrite", "d=x/a.csv", "d=z%2F/b.csv")
    assert run.rows("SELECT id, d FROM t ORDER BY d") == [(7, "x"), (2, "y"), (7, "z/")]


def test_the_next_write_puts_in_place_what_a_killed_one_committed(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table)
    _killed(DIES_WHILE_PUBLISHING, tmp_path, str(table), "", "append", "a.csv", "b.csv")
    run.environment.execute_sql("INSERT INTO t VALUES (8)").wait()
    assert [path.name for path in table.parent.iterdir()] == [table.name]
    assert run.rows("SELECT id FROM t ORDER BY id") == [(7,), (7,), (8,)]


def test_a_table_whose_files_are_all_being_removed_is_empty(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    (file,) = table.glob("*.csv")
    staging = table.parent / ".staging-job"
    staging.mkdir()
    (staging / "commit.json").write_text(f'{{"table": "{table.name}", "add": [], "remove": ["{file.name}"]}}')
    assert run.rows("SELECT id FROM t") == []


def test_an_insert_killed_while_it_writes_leaves_the_table_as_it_was(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    before = sorted(table.rglob("*"))
    _killed(DIES_WHILE_WRITING, tmp_path, str(table))
    assert sorted(table.rglob("*")) == before
    assert run.rows("SELECT id FROM t") == [(1,)]
    run.environment.execute_sql("INSERT INTO t VALUES (2)").wait()
    assert [path.name for path in table.parent.iterdir()] == [table.name]
