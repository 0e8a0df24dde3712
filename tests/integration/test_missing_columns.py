"""A column that a file of Parquet, ORC or Avro lacks is an error on both engines, or NULL if the table says so; fields of rows go by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError, ValidationException

MakeEnv = Callable[[str], TableEnvironment]
ENGINES = ["arrow", "spark"]
FORMATS = ["avro", "orc", "parquet"]
READERS = [("arrow", "avro"), ("arrow", "orc"), ("arrow", "parquet"), ("spark", "parquet")]
"""Spark reads the other formats with the code of the embedded engine, so one test of them is enough."""
WRITTEN = "id INT, name STRING, r ROW<city STRING, zip STRING>, l ARRAY<ROW<x INT, y INT>>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each format, with one file."""
    root = tmp_path_factory.mktemp("written")
    env = TableEnvironment.create(planner_of("arrow"))
    for format_ in FORMATS:
        env.execute_sql(declared(format_, WRITTEN, root / format_, f"w_{format_}"))
        env.execute_sql(f"INSERT INTO w_{format_} SELECT 1, 'a', ROW('Rome', '00100'), ARRAY[ROW(1, 2)]").wait()
    env.close()
    return root


def planner_of(engine: str) -> Any:
    from table_api import EnvironmentSettings

    return EnvironmentSettings.new_instance().in_batch_mode().with_planner(engine).build()


def declared(format_: str, columns: str, path: Path, name: str = "t", options: str = "") -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{path}'{options})"


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@pytest.mark.parametrize(("engine", "format_"), READERS)
@pytest.mark.parametrize(
    ("columns", "query", "message"),
    [
        ("id INT, nmae STRING", "SELECT nmae FROM t", r"'nmae' does not exist in the .* file '.*'\. Did you mean 'name'\?"),
        ("id INT, NAME STRING", "SELECT id FROM t WHERE NAME = 'a'", r"'NAME' does not exist in the .* file"),
        (
            "r ROW<ctiy STRING, zip STRING>",
            "SELECT t.r.zip FROM t",
            r"Field 'ctiy' does not exist in the .*, column 'r'\. Did you mean 'city'\?",
        ),
        ("l ARRAY<ROW<z INT>>", "SELECT l FROM t", r"Field 'z' does not exist in the .*, column 'l'"),
    ],
    ids=["column", "case", "field of a row", "field of rows in an array"],
)
def test_a_missing_column_is_an_error(
    make_env: MakeEnv, folder: Path, engine: str, format_: str, columns: str, query: str, message: str
) -> None:
    env = make_env(engine)
    env.execute_sql(declared(format_, columns, folder / format_))
    with pytest.raises(TableError, match=message):
        rows(env, query)


def test_spark_reports_missing_columns_of_other_formats(make_env: MakeEnv, folder: Path) -> None:
    env = make_env("spark")
    env.execute_sql(declared("orc", "nmae STRING", folder / "orc"))
    with pytest.raises(TableError, match=r"Column 'nmae' does not exist in the ORC file '.*'\. Did you mean 'name'\?"):
        rows(env, "SELECT nmae FROM t")


def test_the_error_names_the_option(make_env: MakeEnv, folder: Path) -> None:
    env = make_env("arrow")
    env.execute_sql(declared("parquet", "nmae STRING", folder / "parquet"))
    with pytest.raises(ValidationException, match="hint: 'missing-columns' = 'null' reads columns that a file lacks as NULL"):
        rows(env, "SELECT nmae FROM t")


@pytest.mark.parametrize(("engine", "format_"), READERS)
def test_the_option_reads_missing_columns_as_null(make_env: MakeEnv, folder: Path, engine: str, format_: str) -> None:
    env = make_env(engine)
    columns = "ID INT, extra INT, r ROW<zip STRING, country STRING>, l ARRAY<ROW<y INT, z INT>>"
    env.execute_sql(declared(format_, columns, folder / format_, options=", 'missing-columns' = 'null'"))
    assert rows(env, "SELECT ID, extra, t.r.zip, t.r.country, l[1].y, l[1].z FROM t") == [(None, None, "00100", None, 2, None)]


@pytest.mark.parametrize(("engine", "format_"), READERS)
def test_nested_fields_are_matched_by_name(make_env: MakeEnv, folder: Path, engine: str, format_: str) -> None:
    env = make_env(engine)
    env.execute_sql(declared(format_, "r ROW<zip STRING, city STRING>, l ARRAY<ROW<y INT, x INT>>", folder / format_))
    assert rows(env, "SELECT t.r.zip, t.r.city, l[1].x, l[1].y FROM t") == [("00100", "Rome", 1, 2)]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_unused_missing_column_is_not_an_error(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    env.execute_sql(declared("parquet", "id INT, nmae STRING", folder / "parquet"))
    assert rows(env, "SELECT id FROM t") == [(1,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_error_names_the_file_that_lacks_a_column(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    writer = make_env("arrow")
    for name, columns, values in (("whole", "a INT, b INT", "1, 2"), ("other", "a INT", "3")):
        writer.execute_sql(declared("parquet", columns, tmp_path / f"t/p={name}", name))
        writer.execute_sql(f"INSERT INTO {name} SELECT {values}")
    env = make_env(engine)
    table = "(a INT, b INT, p STRING) PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'format' = 'parquet'"
    env.execute_sql(f"CREATE TABLE t {table}, 'path' = '{tmp_path / 't'}')")
    assert rows(env, "SELECT b FROM t WHERE p = 'whole'") == [(2,)]
    with pytest.raises(TableError, match=r"Column 'b' does not exist in the Parquet file '.*p=other/.*'"):
        rows(env, "SELECT b FROM t")


def test_the_option_is_refused_for_formats_without_column_names(make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env("arrow")
    env.execute_sql(declared("csv", "a INT", tmp_path, options=", 'missing-columns' = 'null'"))
    with pytest.raises(ValidationException, match=r"'missing-columns' .* has no effect for the format 'csv'"):
        rows(env, "SELECT * FROM t")
