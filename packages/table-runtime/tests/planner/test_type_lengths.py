"""The lengths that columns of sinks declare, where the source declares the same ones and does not keep them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException

COLUMNS = "a CHAR(8), v VARCHAR(3), r ROW<c CHAR(2), l ARRAY<VARCHAR(2)>>, m MAP<STRING, CHAR(3)>"
LONG = {"a": "Apache Flink", "v": "abcdef", "r": {"c": "x", "l": ["abc", None]}, "m": {"key": "wxyz"}}
FITS = {"a": "ApacheFl", "v": "abc", "r": {"c": "xy", "l": ["ab"]}, "m": {"key": "wxy"}}
NULLS = {"a": None, "v": None, "r": None, "m": None}


@pytest.fixture(params=["batch", "streaming"])
def tables(request: Any, tmp_path: Path) -> Any:
    """An environment with the tables ``s`` and ``t`` of equal columns, and a function that writes rows into the first."""
    batch = request.param == "batch"
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    settings = (builder.in_batch_mode() if batch else builder.in_streaming_mode()).build()
    with TableEnvironment.create(settings) as env:
        for name in "st":
            (tmp_path / name).mkdir()
            options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'json'"
            env.execute_sql(f"CREATE TABLE {name} ({COLUMNS}) WITH ({options})")

        def copy(*rows: Any) -> list[Any]:
            (tmp_path / "s" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
            env.execute_sql("INSERT INTO t SELECT * FROM s").wait()
            written = [path for path in (tmp_path / "t").rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
            return [json.loads(line) for path in written for line in path.read_text().splitlines()]

        yield env, copy


def test_values_are_cut_and_padded_though_the_source_declares_the_same_types(tables: Any) -> None:
    cut = {"a": "Apache F", "v": "abc", "r": {"c": "x ", "l": ["ab", None]}, "m": {"key": "wxy"}}
    assert tables[1](LONG, FITS, NULLS) == [cut, FITS, NULLS]


def test_ignore_writes_values_as_they_are(tables: Any) -> None:
    env, copy = tables
    env.get_config().set("table.exec.sink.type-length-enforcer", "IGNORE")
    assert copy(LONG) == [LONG]


@pytest.mark.parametrize(
    ("bad", "path", "type_", "length"),
    [
        ({"a": "x"}, "a", "CHAR(8)", 1),
        ({"v": "abcd"}, "v", "VARCHAR(3)", 4),
        ({"r": {"c": "xyz", "l": []}}, "r.c", "CHAR(2)", 3),
        ({"r": {"c": "xy", "l": ["ab", "abc"]}}, "r.l[element]", "VARCHAR(2)", 3),
        ({"m": {"k": "x"}}, "m[value]", "CHAR(3)", 1),
    ],
)
def test_error_names_column_type_and_length(tables: Any, bad: Any, path: str, type_: str, length: int) -> None:
    env, copy = tables
    env.get_config().set("table.exec.sink.type-length-enforcer", "ERROR")
    with pytest.raises(TableRuntimeException) as caught:
        copy(FITS, NULLS, {**FITS, **bad})
    table = "default_catalog.default_database.t"
    assert f"Column '{path}' of table {table} is {type_}, but a row has a value of length {length} there." in str(caught.value)


def test_error_takes_values_that_fit(tables: Any) -> None:
    env, copy = tables
    env.get_config().set("table.exec.sink.type-length-enforcer", "ERROR")
    assert copy(FITS, NULLS) == [FITS, NULLS]


def test_a_cast_from_a_shorter_type_does_not_show_that_a_value_fits(tables: Any, tmp_path: Path) -> None:
    env, _ = tables
    env.execute_sql(f"CREATE TABLE w (v VARCHAR(5)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = 'json')")
    (tmp_path / "s" / "rows.json").write_text(json.dumps({"v": "abcdef"}))
    env.execute_sql("INSERT INTO w SELECT v FROM s").wait()
    written = [path for path in (tmp_path / "t").rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
    assert [json.loads(path.read_text()) for path in written] == [{"v": "abcde"}]


def test_a_cast_in_the_query_is_not_repeated(tables: Any) -> None:
    env, _ = tables
    env.execute_sql("CREATE TABLE b (a CHAR(8)) WITH ('connector' = 'blackhole')")
    assert "FitLengths(columns=[a])" in env.explain_sql("INSERT INTO b SELECT a FROM s")
    assert "FitLengths" not in env.explain_sql(
        "INSERT INTO b SELECT CAST(`key` AS CHAR(8)) FROM s CROSS JOIN UNNEST(m) AS u(`key`, `value`)"
    )
