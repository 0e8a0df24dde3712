"""CSV files with headers, and columns that are inferred, on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

FLIGHTS = 'carrier,delay,day\nUA,5,2013-01-01\n"B6, Inc",NA,2013-01-02\n'


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest) -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build())


def _create(env: TableEnvironment, path: Path, columns: str = "", options: str = "") -> None:
    env.execute_sql(f"CREATE TEMPORARY TABLE t {columns} WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}'{options})")


def _rows(env: TableEnvironment, query: str) -> list[tuple[str, ...]]:
    with env.execute_sql(query).collect() as rows:
        return sorted(tuple(map(str, row)) for row in rows)


def test_a_table_without_columns_has_those_of_the_header(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(FLIGHTS)
    _create(env, tmp_path / "x.csv")
    assert _rows(env, "SELECT * FROM t") == [("B6, Inc", "None", "2013-01-02"), ("UA", "5", "2013-01-01")]
    assert _rows(env, "SELECT COUNT(*), SUM(delay) FROM t") == [("2", "5")]


def test_columns_are_found_by_name_in_each_file(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    (tmp_path / "b.csv").write_text("b,c,a\ny,-,2\n")
    _create(env, tmp_path, "(b STRING, a INT)", ", 'csv.header' = 'true'")
    assert _rows(env, "SELECT * FROM t") == [("x", "1"), ("y", "2")]


def test_a_misspelt_column_is_an_error(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(FLIGHTS)
    _create(env, tmp_path / "x.csv", "(dely INT)", ", 'csv.header' = 'true'")
    with pytest.raises(TableError, match="Column 'dely' does not exist in the header of the CSV file"):
        _rows(env, "SELECT dely FROM t")


def test_written_files_have_a_header_too(env: TableEnvironment, tmp_path: Path) -> None:
    _create(env, tmp_path / "t", "(a INT, `b,c` STRING)", ", 'csv.header' = 'true'")
    env.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    assert _rows(env, "SELECT * FROM t") == [("1", "x"), ("2", "y")]
    first = next(file for file in sorted((tmp_path / "t").iterdir()) if file.suffix == ".csv")
    assert first.read_text().startswith('a,"b,c"\n')


def test_a_file_in_another_encoding(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("name,n\ncafé,1\n".encode("latin-1"))
    with pytest.raises(TableError, match=r"needs 'csv.encoding', such as 'latin-1'"):
        _create(env, tmp_path / "x.csv")
    _create(env, tmp_path / "x.csv", options=", 'csv.encoding' = 'latin-1'")
    assert _rows(env, "SELECT * FROM t") == [("café", "1")]


def test_a_large_file_is_read_in_parts(env: TableEnvironment, tmp_path: Path) -> None:
    count = 700_000
    (tmp_path / "x.csv").write_text("number\n" + "".join(f"{number}\n" for number in range(count)))
    _create(env, tmp_path / "x.csv")
    assert _rows(env, "SELECT COUNT(*), MIN(number), MAX(number) FROM t") == [(str(count), "0", str(count - 1))]
