"""Missing paths, and path patterns, with and without declared columns, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment, TableRuntimeException, ValidationException

MakeEnv = Callable[[str], TableEnvironment]
QUERIES = ("SELECT COUNT(*) FROM t", "SELECT * FROM t")


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: MakeEnv) -> TableEnvironment:
    return make_env(request.param)


def create(env: TableEnvironment, path: Path | str, *, columns: str = "(a INT)", format_: str = "csv") -> None:
    env.execute_sql(f"CREATE TABLE t {columns} WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{path}')")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("format_", ["csv", "parquet", "avro"])
def test_the_error_names_a_missing_path(env: TableEnvironment, tmp_path: Path, query: str, format_: str) -> None:
    create(env, tmp_path / "none", format_=format_)
    with pytest.raises(
        TableRuntimeException, match=rf"^Table default_catalog\.default_database\.t: The path '{tmp_path}/none' of the table"
    ):
        env.execute_sql(query).wait()


@pytest.mark.parametrize(
    ("path", "message"), [("none", "There is no file or folder at '{}'."), ("*.csv", "No file matches the path '{}'.")]
)
def test_a_table_whose_columns_cannot_be_inferred_is_not_created(env: TableEnvironment, tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(ValidationException) as raised:
        create(env, tmp_path / path, columns="")
    assert raised.value.message == message.format(tmp_path / path)
    assert "t" not in env.list_tables()
    create(env, tmp_path / path)
    env.execute_sql(f"CREATE TABLE IF NOT EXISTS t WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / path}')")


@pytest.mark.parametrize("query", QUERIES)
def test_the_error_of_an_empty_folder_without_columns_names_the_path(env: TableEnvironment, tmp_path: Path, query: str) -> None:
    create(env, tmp_path, columns="")
    with pytest.raises(ValidationException) as raised:
        env.execute_sql(query).wait()
    assert raised.value.message == (
        "Table default_catalog.default_database.t has no columns: none were declared, and none could be inferred at "
        f"'{tmp_path}' when it was created."
    )


@pytest.mark.parametrize("query", QUERIES)
def test_the_error_names_a_pattern_without_match(env: TableEnvironment, tmp_path: Path, query: str) -> None:
    create(env, tmp_path / "*.csv")
    with pytest.raises(
        TableRuntimeException, match=r"^Table default_catalog\.default_database\.t: No file matches the path '.*/\*\.csv' of the"
    ):
        env.execute_sql(query).wait()


@pytest.mark.parametrize("pattern", ["*.csv", "{a,b}.csv", "[ab].csv", "?.csv"])
@pytest.mark.parametrize("columns", ["(n INT)", ""])
def test_a_pattern_reads_the_files_that_match(env: TableEnvironment, tmp_path: Path, pattern: str, columns: str) -> None:
    for name, number in (("a.csv", 1), ("b.csv", 2), ("c.txt", 4), ("_d.csv", 8)):
        (tmp_path / name).write_text(f"{number}\n")
    create(env, tmp_path / pattern, columns=columns)
    assert sorted(tuple(row) for row in env.execute_sql("SELECT * FROM t").collect()) == [(1,), (2,)]


def test_an_empty_folder_has_no_rows(env: TableEnvironment, tmp_path: Path) -> None:
    create(env, tmp_path)
    assert [tuple(row) for row in env.execute_sql("SELECT COUNT(*) FROM t").collect()] == [(0,)]
