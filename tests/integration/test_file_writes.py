"""Writes of file tables on both engines: several sinks in one job, and files that must not be deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError

MakeEnv = Callable[[str], TableEnvironment]
Rows = list[tuple[Any, ...]]


class Runner:
    """Runs statements; ``PATH`` stands for a folder."""

    def __init__(self, env: TableEnvironment, folder: Path) -> None:
        self.env = env
        self.folder = folder

    def __call__(self, statement: str) -> Rows:
        return [tuple(row) for row in self.env.execute_sql(statement.replace("PATH", str(self.folder))).collect()]

    def table(self, name: str, path: str, format_: str = "csv", more: str = "") -> None:
        self(f"CREATE TABLE {name} (id INT, s STRING) {more} WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}')")

    def together(self, *statements: str) -> list[int]:
        """Runs insertions as one statement set; returns the number of rows that each wrote."""
        statement_set = self.env.create_statement_set()
        for statement in statements:
            statement_set.add_insert_sql(statement)
        with statement_set.execute().collect() as rows:
            (counts,) = [tuple(row) for row in rows]
        return list(counts)


@pytest.fixture(params=["arrow", "spark"])
def sql(request: pytest.FixtureRequest, make_env: MakeEnv, tmp_path: Path) -> Runner:
    return Runner(make_env(request.param), tmp_path)


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "avro"])
def test_insertions_of_one_statement_set_into_one_table_keep_all_rows(sql: Runner, format_: str) -> None:
    sql.table("t", "PATH/t", format_)
    assert sql.together("INSERT INTO t VALUES (1, 'a')", "INSERT INTO t VALUES (2, 'b'), (3, 'c')") == [1, 2]
    assert sql("SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,)]


def test_insertions_of_one_statement_set_into_one_partition_keep_all_rows(sql: Runner) -> None:
    sql.table("t", "PATH/t", more="PARTITIONED BY (s)")
    sql.together("INSERT INTO t VALUES (1, 'a')", "INSERT INTO t PARTITION (s = 'a') VALUES (2)")
    assert sql("SELECT id, s FROM t ORDER BY id") == [(1, "a"), (2, "a")]


def test_a_statement_set_keeps_all_rows_if_paths_of_one_folder_differ(sql: Runner, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "t")
    for name, path in (("a", "PATH/t"), ("b", "file://PATH/./x/../t"), ("c", "PATH/link")):
        sql.table(name, path)
    sql.together("INSERT INTO a VALUES (1, 'a')", "INSERT INTO b VALUES (2, 'b')", "INSERT INTO c VALUES (3, 'c')")
    assert sql("SELECT id FROM a ORDER BY id") == [(1,), (2,), (3,)]


def test_overwriting_in_a_statement_set_replaces_the_rows_from_before_the_set(sql: Runner) -> None:
    sql.table("t", "PATH/t")
    sql("INSERT INTO t VALUES (0, 'old')")
    sql.together("INSERT INTO t VALUES (1, 'a')", "INSERT OVERWRITE t VALUES (2, 'b')", "INSERT OVERWRITE t VALUES (3, 'c')")
    assert sql("SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("first", ["inner", "outer"])
def test_overwriting_a_table_keeps_rows_that_the_statement_set_writes_to_subfolders(sql: Runner, first: str) -> None:
    sql.table("outer_t", "PATH/t")
    sql.table("inner_t", "PATH/t/below")
    sql("INSERT INTO inner_t VALUES (0, 'old')")
    statements = ["INSERT INTO inner_t VALUES (1, 'a')", "INSERT OVERWRITE outer_t VALUES (2, 'b')"]
    sql.together(*(statements if first == "inner" else reversed(statements)))
    assert sql("SELECT id FROM outer_t ORDER BY id") == [(1,), (2,)]
    assert sql("SELECT id FROM inner_t") == [(1,)]


def test_a_statement_set_keeps_all_rows_of_a_partition_that_is_also_a_table(sql: Runner) -> None:
    sql.table("t", "PATH/t", more="PARTITIONED BY (s)")
    sql("CREATE TABLE p (id INT) WITH ('connector' = 'filesystem', 'path' = 'PATH/t/s=a', 'format' = 'csv')")
    sql.together("INSERT INTO t VALUES (1, 'a')", "INSERT INTO p VALUES (2)")
    assert sql("SELECT id, s FROM t ORDER BY id") == [(1, "a"), (2, "a")]


def test_statements_of_a_set_read_tables_as_they_were_before_it(sql: Runner) -> None:
    sql.table("a", "PATH/a")
    sql.table("b", "PATH/b")
    sql("INSERT INTO a VALUES (1, 'x')")
    sql.together("INSERT INTO a VALUES (2, 'y')", "INSERT INTO b SELECT id, s FROM a")
    assert sql("SELECT id FROM b") == [(1,)]


def test_a_statement_set_that_fails_changes_none_of_its_tables(sql: Runner) -> None:
    sql.table("a", "PATH/a")
    sql.table("b", "PATH/b")
    sql("INSERT INTO a VALUES (1, 'x')")
    with pytest.raises(TableError):
        sql.together("INSERT INTO a VALUES (2, 'y')", "INSERT INTO b SELECT CAST(s AS INT), s FROM a")
    assert sql("SELECT id FROM a") == [(1,)]


def test_insertions_of_one_statement_set_into_one_table_of_a_database_keep_all_rows(sql: Runner) -> None:
    with closing(sqlite3.connect(sql.folder / "x.db")) as connection:
        connection.execute("CREATE TABLE d (id INTEGER, s TEXT)")
    sql("CREATE TABLE d (id INT, s STRING) WITH ('connector' = 'sqlite', 'path' = 'PATH/x.db', 'table-name' = 'd')")
    sql.together("INSERT INTO d VALUES (1, 'a')", "INSERT INTO d VALUES (2, 'b')")
    assert sql("SELECT id FROM d ORDER BY id") == [(1,), (2,)]


def test_overwriting_a_table_from_itself_replaces_its_rows(sql: Runner, tmp_path: Path) -> None:
    sql.table("t", "PATH/t")
    sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    sql("INSERT OVERWRITE t SELECT id + 10, s FROM t WHERE id > 1")
    assert sql("SELECT id FROM t") == [(12,)]
    assert not list((tmp_path / "t").glob(".*"))


@pytest.mark.parametrize("path", ["", " "])
@pytest.mark.parametrize(
    "statement", ["SELECT * FROM t", "INSERT INTO t VALUES (1, 'a')", "INSERT OVERWRITE t VALUES (1, 'a')", "TRUNCATE TABLE t"]
)
def test_an_empty_path_is_refused(sql: Runner, path: str, statement: str) -> None:
    sql.table("t", path)
    with pytest.raises(TableError, match=r"The option 'path' of table .*t is empty"):
        sql(statement)


@pytest.mark.parametrize("statement", ["INSERT OVERWRITE t VALUES (2, 'b')", "TRUNCATE TABLE t"])
def test_files_of_other_formats_are_never_deleted(sql: Runner, tmp_path: Path, statement: str) -> None:
    sql.table("t", "PATH/t")
    sql("INSERT INTO t VALUES (1, 'a')")
    foreign = [tmp_path / "t" / name for name in ("notes.txt", "sub/script.py", "LICENSE", "data.parquet")]
    for file in foreign:
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        TableError,
        match=r"would delete 4 files that are not of the format 'csv': LICENSE, data\.parquet, notes\.txt, sub/script\.py\. Nothing",
    ):
        sql(statement)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("statement", ["INSERT OVERWRITE t VALUES (2, 'b')", "TRUNCATE TABLE t"])
def test_targets_of_links_outside_the_table_are_never_deleted(sql: Runner, tmp_path: Path, statement: str) -> None:
    sql.table("t", "PATH/t")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.csv").write_text("1,a\n")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "in").symlink_to(outside)
    with pytest.raises(TableError, match=r"would delete files outside of its folder, through links: in \(which is '.*/outside'\)"):
        sql(statement)
    assert (outside / "f.csv").exists()


def test_a_link_to_a_file_is_removed_and_not_the_file(sql: Runner, tmp_path: Path) -> None:
    sql.table("t", "PATH/t")
    (tmp_path / "f.csv").write_text("1,a\n")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f.csv").symlink_to(tmp_path / "f.csv")
    sql("INSERT OVERWRITE t VALUES (2, 'b')")
    assert sql("SELECT id FROM t") == [(2,)]
    assert (tmp_path / "f.csv").exists()


def test_a_tilde_is_the_home_folder(sql: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    sql.table("t", "~/t")
    sql("INSERT INTO t VALUES (1, 'a')")
    assert sql("SELECT id FROM t") == [(1,)]
    assert len(list((tmp_path / "t").glob("*.csv"))) == 1


def test_a_loop_of_links_is_an_error_that_names_it(sql: Runner, tmp_path: Path) -> None:
    sql.table("t", "PATH/t")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "loop").symlink_to(tmp_path / "t")
    with pytest.raises(TableError, match=r"The link '.*/t/loop' leads to"):
        sql("SELECT * FROM t")
