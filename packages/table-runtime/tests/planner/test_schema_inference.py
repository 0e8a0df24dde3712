"""CREATE TABLE without columns: the columns are those of the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException


@pytest.fixture
def env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())


def types(env: TableEnvironment, table: str) -> list[str]:
    return [f"{column.name} {column.data_type}" for column in env.from_path(table).get_resolved_schema().columns]


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_columnar_files_say_names_and_types(env: TableEnvironment, tmp_path: Path, format_: str) -> None:
    options = f"WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path / 't'}')"
    env.execute_sql(f"CREATE TABLE w (a INT, s STRING, n DECIMAL(10, 2), l ARRAY<INT>, p STRING) PARTITIONED BY (p) {options}")
    env.execute_sql("INSERT INTO w VALUES (1, 'x', CAST(1 AS DECIMAL(10, 2)), ARRAY[1], 'q')").wait()
    env.execute_sql(f"CREATE TABLE r {options}")
    assert types(env, "r") == ["a INT", "s STRING", "n DECIMAL(10, 2)", "l ARRAY<INT>", "p STRING"]
    assert [tuple(row) for row in env.execute_sql("SELECT a, p FROM r").collect()] == [(1, "q")]


@pytest.mark.parametrize(
    ("format_", "text", "expected"),
    [
        ("json", '{"a": 1, "b": {"c": [1.5]}, "n": null}\n', ["a BIGINT", "b ROW<`c` ARRAY<DOUBLE>>", "n STRING"]),
        ("csv", "1,x,2020-01-01,\n2,y,2020-01-02,\n", ["f0 BIGINT", "f1 STRING", "f2 DATE", "f3 STRING"]),
    ],
)
def test_types_of_text_are_guessed(env: TableEnvironment, tmp_path: Path, format_: str, text: str, expected: list[str]) -> None:
    (tmp_path / "f").write_text(text)
    env.execute_sql(f"CREATE TABLE r WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path}')")
    assert types(env, "r") == expected
    assert len(list(env.execute_sql("SELECT * FROM r").collect())) == len(text.splitlines())


def test_what_was_found_stays_when_the_files_change(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "f").write_text('{"a": 1}\n')
    env.execute_sql(f"CREATE TABLE r WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path}')")
    (tmp_path / "f").write_text('{"b": 1}\n')
    assert types(env, "r") == ["a BIGINT"]


def test_a_file_that_cannot_be_read_is_named(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("nothing")
    with pytest.raises(TableError, match=r"/f' cannot be"):
        env.execute_sql(f"CREATE TABLE r WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')")


def test_a_table_without_files_has_no_columns(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    env.execute_sql(f"CREATE TABLE r WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / 'none'}')")
    with pytest.raises(ValidationException, match="has no columns: none were declared, and none could be inferred at"):
        types(env, "r")


def test_a_connector_that_infers_no_columns_is_not_told_to_infer_them_later(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE r WITH ('connector' = 'memory', 'path' = '{tmp_path}')")
    with pytest.raises(ValidationException, match=r"could be inferred when it was created\.[^!]*hint: Declare columns\.$"):
        types(env, "r")
