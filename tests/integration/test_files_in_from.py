"""Files in FROM and read_csv, read_json and read_parquet, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udtf
from table_common.configuration import Configuration
from table_common.exceptions import TableError


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flights.csv").write_text("carrier,delay\nUA,5\nAA,7\n")
    (tmp_path / "lines.json").write_text('{"carrier": "UA", "n": 1}\n')
    (tmp_path / "data").mkdir()
    for number in range(2):
        pq.write_table(
            pa.table({"carrier": ["UA", "AA"], "name": [f"United {number}", "American"]}), tmp_path / "data" / f"{number}.parquet"
        )
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build())


def _rows(env: TableEnvironment, query: str) -> list[tuple[object, ...]]:
    with env.execute_sql(query).collect() as rows:
        return sorted(tuple(row) for row in rows)


@pytest.mark.parametrize("source", ["'flights.csv'", "read_csv('flights.csv')", "TABLE(read_csv('flights.csv'))", "READ_CSV('*.csv') AS f"])
def test_a_file_is_a_table(env: TableEnvironment, source: str) -> None:
    assert _rows(env, f"SELECT carrier, delay + 1 FROM {source}") == [("AA", 8), ("UA", 6)]


def test_files_are_joined(env: TableEnvironment) -> None:
    query = "SELECT f.carrier, COUNT(*) FROM 'flights.csv' f JOIN 'data/*.parquet' AS a ON f.carrier = a.carrier GROUP BY 1"
    assert _rows(env, query) == [("AA", 2), ("UA", 2)]


def test_files_as_other_programs_export_them(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("name,city\nBob,Paris\n")
    (tmp_path / "no_rows.csv").write_text("name,city\n")
    (tmp_path / "twice.csv").write_text("n,n\n1,2\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n4,5,6\n")
    (tmp_path / "records.json").write_text('[{"a":1},{"a":2}]')
    assert _rows(env, "SELECT city FROM 'texts.csv' WHERE name = 'Bob'") == [("Paris",)]
    assert _rows(env, "SELECT name FROM 'no_rows.csv'") == []
    assert _rows(env, "SELECT n, n_2 FROM 'twice.csv'") == [(1, 2)]
    assert _rows(env, "SELECT * FROM read_csv('ragged.csv', ignore_parse_errors => TRUE)") == [(1, 2), (3, None)]
    assert _rows(env, "SELECT a FROM 'records.json'") == [(1,), (2,)]


@pytest.mark.parametrize("format_", ["json", "parquet"])
def test_files_of_different_columns_have_them_all(env: TableEnvironment, tmp_path: Path, format_: str) -> None:
    (tmp_path / "1.json").write_text('{"a": 1, "b": "x"}')
    (tmp_path / "2.json").write_text('{"a": 2, "c": 5}')
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [2], "c": [5]}), tmp_path / "2.parquet")
    assert _rows(env, f"SELECT * FROM '[12].{format_}'") == [(1, "x", None), (2, None, 5)]
    assert _rows(env, f"SELECT a FROM '[12].{format_}' WHERE c > 4") == [(2,)]


def test_a_file_is_joined_with_a_function_on_the_right(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT j.n FROM 'flights.csv' f, read_json('lines.json') j WHERE f.carrier = j.carrier") == [(1,)]


def test_options_of_the_format_are_named_arguments(env: TableEnvironment) -> None:
    assert len(_rows(env, "SELECT f0 FROM read_csv('flights.csv', header => FALSE)")) == 3
    assert _rows(env, "SELECT COUNT(*) FROM read_csv('flights.csv', field_delimiter => ';', header => TRUE)") == [(2,)]


def test_the_methods_of_an_environment(env: TableEnvironment) -> None:
    assert sorted(map(tuple, env.read_csv("flights.csv", header=True).execute().collect())) == [("AA", 7), ("UA", 5)]
    assert list(map(tuple, env.read_json("lines.json").execute().collect())) == [("UA", 1)]
    assert len(list(env.read_parquet("data").execute().collect())) == 4


def test_a_table_is_created_from_a_file(env: TableEnvironment, tmp_path: Path) -> None:
    options = f"'connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / 'out'}'"
    env.execute_sql(f"CREATE TABLE copied WITH ({options}) AS SELECT * FROM 'flights.csv'").wait()
    assert _rows(env, "SELECT * FROM copied") == [("AA", 7), ("UA", 5)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("'nowhere.csv'", r"There is no file or folder at 'nowhere\.csv'"),
        ("'nowhere/*.parquet'", r"No file matches the path 'nowhere/\*\.parquet'"),
        ("'flights.txt'", r"The name 'flights\.txt' does not tell the format of the file\. Known extensions: avro, csv, json"),
        ("read_csv()", "READ_CSV takes the path of a file as text"),
        ("read_csv(1)", "READ_CSV takes the path of a file as text"),
        ("read_csv('flights.csv', heder => TRUE)", "heder"),
        ("read_csv('flights.csv', header => 'maybe')", "header"),
    ],
)
def test_wrong_files_are_refused_with_their_place(env: TableEnvironment, source: str, message: str) -> None:
    with pytest.raises(TableError, match=message) as raised:
        env.execute_sql(f"SELECT * FROM {source}")
    assert "at line 1, column 15" in str(raised.value)


def test_a_misspelt_column_of_a_file_names_the_columns(env: TableEnvironment) -> None:
    with pytest.raises(TableError, match="Column 'carier' does not exist"):
        env.execute_sql("SELECT carier FROM 'data/*.parquet'")


def test_a_session_with_allowed_paths_refuses_others(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    configuration = Configuration({"table.planner": "arrow", "table.security.allowed-paths": str(tmp_path / "inner")})
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_configuration(configuration).build())
    with pytest.raises(TableError, match="must not"):
        env.execute_sql(f"SELECT * FROM '{tmp_path}/x.csv'")
    with pytest.raises(TableError, match="must not"):
        env.read_csv(f"{tmp_path}/x.csv")


def test_a_function_of_the_user_comes_before_that_of_files(env: TableEnvironment) -> None:
    @udtf(result_types=["BIGINT", "STRING"])
    def numbered(text: str) -> Iterator[tuple[int, str]]:
        yield from enumerate(text.split(","))

    env.create_temporary_function("read_csv", numbered)
    query = "SELECT word FROM {} AS r (n, word)"
    assert _rows(env, query.format("TABLE(READ_CSV('a,b'))")) == [("a",), ("b",)]
    assert _rows(env, query.format("'flights.csv' AS f JOIN LATERAL TABLE(read_csv(f.carrier || ',x'))") + " ON TRUE") == [
        ("AA",),
        ("UA",),
        ("x",),
        ("x",),
    ]
    env.drop_temporary_function("read_csv")
    assert _rows(env, "SELECT delay FROM read_csv('flights.csv')") == [(5,), (7,)]


def test_a_path_in_from_is_not_a_call_of_a_function_of_the_user(env: TableEnvironment) -> None:
    env.create_temporary_function("read_file", udtf(lambda text: [text], result_types=["STRING"]))
    assert _rows(env, "SELECT carrier FROM 'flights.csv'") == [("AA",), ("UA",)]
    assert _rows(env, "SELECT w FROM LATERAL TABLE(read_file('a')) AS r (w)") == [("a",)]


@pytest.mark.parametrize("statement", ["DESCRIBE 'flights.csv'", "DESC EXTENDED 'flights.csv'"])
def test_describe_of_a_file_shows_its_columns(env: TableEnvironment, statement: str) -> None:
    assert [row[:2] for row in _rows(env, statement)] == [("carrier", "STRING"), ("delay", "BIGINT")]


@pytest.mark.parametrize(("path", "message"), [("nosuch.csv", "There is no file"), ("x", "does not tell the format")])
def test_describe_of_no_file_says_why(env: TableEnvironment, path: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        env.execute_sql(f"DESCRIBE '{path}'")
