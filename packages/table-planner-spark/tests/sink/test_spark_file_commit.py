"""Writes of Spark that are killed: they have happened as a whole or not at all, for every engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_runtime.files import TableSnapshot

DIES_IN_COMMIT = """
import os, signal, sys
from pathlib import Path
from table_common.connector import FileSinkProvider
from table_common.types import IntType, RowField, RowType
from table_runtime.files import FileChanges

moment, path, keys, overwrite, *names = sys.argv[1:]
provider = FileSinkProvider(
    path, "csv", RowType((RowField("id", IntType()),)), partition_keys=tuple(keys.split()), overwrite=overwrite == "overwrite"
)
changes = FileChanges("job")
part = changes.part(path)
for name in names:
    file = Path(part.folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("7\\n")
part.adopt()
if provider.overwrite:
    part.overwrite(provider, {str(Path(name).parent) for name in names})
die = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGKILL)
if moment == "committed":
    Path.unlink = die
else:
    os.rename = die
changes.commit()
die()
"""

DIES_WHILE_WRITING = """
import os, signal, sys, threading
from pathlib import Path
from table_api import Configuration
from table_api_bridge import SparkTableEnvironment
from table_planner_spark import local_session

path = Path(sys.argv[1])
def die_when_a_file_is_being_written():
    while not list(path.parent.glob("*/.table-changes/**/part-*.csv")):
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


@pytest.mark.parametrize(
    ("moment", "overwrite", "expected"),
    [
        ("committed", "append", [(1,), (7,), (7,)]),
        ("committed", "overwrite", [(7,), (7,)]),
        ("prepared", "append", [(1,)]),
        ("prepared", "overwrite", [(1,)]),
    ],
)
def test_a_write_killed_in_its_commit_is_read_as_a_whole_or_not_at_all(
    run: Any, tmp_path: Path, table: Path, moment: str, overwrite: str, expected: list[tuple[int]]
) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    _killed(DIES_IN_COMMIT, tmp_path, moment, str(table), "", overwrite, "a.csv", "b.csv")
    assert run.rows("SELECT id FROM t ORDER BY id") == expected


def test_partitions_killed_in_a_commit_are_read_as_a_whole(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table, "PARTITIONED BY (d)")
    run.environment.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    _killed(DIES_IN_COMMIT, tmp_path, "committed", str(table), "d", "overwrite", "d=x/a.csv", "d=z%2F/b.csv")
    assert run.rows("SELECT id, d FROM t ORDER BY d") == [(7, "x"), (2, "y"), (7, "z/")]


def test_a_query_reads_what_it_was_planned_for_while_the_table_is_replaced(run: Any, table: Path) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    result = run.environment.execute_sql("SELECT id, COUNT(*) OVER () AS n FROM t")
    run.environment.execute_sql("INSERT OVERWRITE t VALUES (2), (3)").wait()
    with result.collect() as rows:
        assert [tuple(row) for row in rows] == [(1, 1)]
    assert run.rows("SELECT id FROM t ORDER BY id") == [(2,), (3,)]
    assert not list(table.glob(".*"))


def test_a_table_is_read_from_the_files_of_a_snapshot_while_it_is_changed(run: Any, table: Path) -> None:
    _create(run, table, "PARTITIONED BY (d)")
    run.environment.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    with TableSnapshot(table):
        run.environment.execute_sql("INSERT OVERWRITE t VALUES (3, 'y')").wait()
        assert len(list(table.glob("d=y/*.csv"))) == 2
        assert run.rows("SELECT id, d FROM t ORDER BY id") == [(1, "x"), (3, "y")]
        assert run.rows("SELECT id FROM t WHERE d = 'y'") == [(3,)]
    assert len(list(table.glob("d=y/*.csv"))) == 1
    assert not list(table.glob(".*"))


def test_a_table_whose_files_are_all_being_removed_is_empty(run: Any, table: Path) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    with TableSnapshot(table):
        run.environment.execute_sql("TRUNCATE TABLE t")
        assert run.rows("SELECT id FROM t") == []


def test_an_insert_killed_while_it_writes_leaves_the_table_as_it_was(run: Any, tmp_path: Path, table: Path) -> None:
    _create(run, table)
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    before = sorted(table.glob("[!.]*"))
    _killed(DIES_WHILE_WRITING, tmp_path, str(table))
    assert sorted(table.glob("[!.]*")) == before
    assert run.rows("SELECT id FROM t") == [(1,)]
    run.environment.execute_sql("INSERT INTO t VALUES (2)").wait()
    assert not list(table.glob(".*"))
    assert [path.name for path in table.parent.iterdir()] == [table.name]
