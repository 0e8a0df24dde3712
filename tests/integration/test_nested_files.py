"""Queries over fields inside rows of Parquet files: engines read these fields alone, and the rows are those of a table in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

ENGINES = pytest.mark.parametrize("planner", ["arrow", "spark"])
ROWS = [
    {"id": 1, "r": {"a": 1, "b": {"c": "x", "d": 1.5}, "t": None}, "r_a": 7},
    {"id": 2, "r": None, "r_a": 8},
    {"id": 3, "r": {"a": None, "b": None, "t": None}, "r_a": 9},
    {"id": 4, "r": {"a": 4, "b": {"c": None, "d": None}, "t": None}, "r_a": 10},
]
TYPE = pa.schema(
    [
        ("id", pa.int64()),
        ("r", pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string()), ("d", pa.float64())])), ("t", pa.string())])),
        ("r_a", pa.int64()),
    ]
)
COLUMNS = "id BIGINT, r ROW<a BIGINT, b ROW<c STRING, d DOUBLE>, t STRING>, r_a BIGINT"


def table(env: TableEnvironment, path: Path, columns: str = COLUMNS, more: str = "") -> None:
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}'{more})")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    parquet.write_table(pa.Table.from_pylist(ROWS, TYPE), tmp_path / "t.parquet", row_group_size=2)
    return tmp_path / "t.parquet"


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


@ENGINES
def test_fields_inside_rows_are_null_where_a_row_is(make_env: Callable[[str], TableEnvironment], planner: str, path: Path) -> None:
    env = make_env(planner)
    table(env, path)
    assert rows(env, "SELECT id, t.r.a, t.r.b.c, t.r.b.d FROM t ORDER BY id") == [
        (1, 1, "x", 1.5),
        (2, None, None, None),
        (3, None, None, None),
        (4, 4, None, None),
    ]
    assert "nested=[r.b.c]" in env.explain_sql("SELECT id, t.r.b.c FROM t")


@ENGINES
def test_a_filter_on_a_column_that_is_not_read_otherwise(make_env: Callable[[str], TableEnvironment], planner: str, path: Path) -> None:
    env = make_env(planner)
    table(env, path)
    assert rows(env, "SELECT t.r.a FROM t WHERE id > 2 AND r_a < 10") == [(None,)]
    assert rows(env, "SELECT t.r.b.c FROM t WHERE t.r.a > 0 ORDER BY id") == [("x",), (None,)]
    assert rows(env, "SELECT t.r.a FROM t WHERE id > 100") == []


@ENGINES
def test_a_column_named_like_a_path_is_another_column(make_env: Callable[[str], TableEnvironment], planner: str, path: Path) -> None:
    env = make_env(planner)
    table(env, path)
    assert rows(env, "SELECT t.r.a FROM t WHERE r_a = 10") == [(4,)]
    assert rows(env, "SELECT t.r.a, r_a FROM t WHERE id = 1") == [(1, 7)]


@ENGINES
def test_fields_of_partitioned_files(make_env: Callable[[str], TableEnvironment], planner: str, path: Path, tmp_path: Path) -> None:
    env = make_env(planner)
    for day in ("1", "2"):
        (tmp_path / "days" / f"day={day}").mkdir(parents=True)
        parquet.write_table(pa.Table.from_pylist(ROWS[:1], TYPE), tmp_path / "days" / f"day={day}" / "t.parquet")
    env.execute_sql(
        f"CREATE TABLE t ({COLUMNS}, `day` STRING) PARTITIONED BY (`day`) WITH ('connector' = 'filesystem', 'format' = 'parquet', "
        f"'path' = '{tmp_path / 'days'}')"
    )
    assert sorted(rows(env, "SELECT `day`, t.r.b.c FROM t")) == [("1", "x"), ("2", "x")]
    assert rows(env, "SELECT t.r.a FROM t WHERE `day` = '2'") == [(1,)]


def test_a_name_with_a_dot_is_no_path(tmp_path: Path, make_env: Callable[[str], TableEnvironment]) -> None:
    env = make_env("arrow")
    type_ = pa.schema([("r.a", pa.int64()), ("r", pa.struct([("a", pa.int64()), ("b", pa.int64())]))])
    parquet.write_table(pa.Table.from_pylist([{"r.a": 1, "r": {"a": 2, "b": 3}}, {"r.a": 4, "r": None}], type_), tmp_path / "t.parquet")
    table(env, tmp_path, "`r.a` BIGINT, r ROW<a BIGINT, b BIGINT>")
    assert rows(env, "SELECT t.r.a FROM t") == [(2,), (None,)]


def test_a_field_that_the_file_lacks(tmp_path: Path, make_env: Callable[[str], TableEnvironment]) -> None:
    parquet.write_table(pa.Table.from_pylist([{"r": {"a": 2}}]), tmp_path / "t.parquet")
    env = make_env("arrow")
    table(env, tmp_path, "r ROW<a BIGINT, b BIGINT>")
    with pytest.raises(TableError, match="b"):
        rows(env, "SELECT t.r.b FROM t")
    env.execute_sql("DROP TABLE t")
    table(env, tmp_path, "r ROW<a BIGINT, b BIGINT>", ", 'missing-columns' = 'null'")
    assert rows(env, "SELECT t.r.a, t.r.b FROM t") == [(2, None)]


def test_a_value_that_does_not_fit_names_its_field(tmp_path: Path, make_env: Callable[[str], TableEnvironment]) -> None:
    parquet.write_table(pa.Table.from_pylist([{"r": {"a": 2**40, "b": 1}}]), tmp_path / "t.parquet")
    env = make_env("arrow")
    table(env, tmp_path, "r ROW<a INT, b INT>")
    with pytest.raises(TableError, match=r"Column 'r\.a' of the Parquet file"):
        rows(env, "SELECT t.r.a FROM t")
    assert rows(env, "SELECT t.r.b FROM t") == [(1,)]


def test_fields_below_a_watermark_with_a_computed_time(path: Path) -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    columns = f"{COLUMNS}, ts AS CAST(TO_TIMESTAMP_LTZ(COALESCE(r.a, id) * 1000, 3) AS TIMESTAMP(3)), WATERMARK FOR ts AS ts"
    table(env, path, columns)
    query = """SELECT window_end, COUNT(*), SUM(a) FROM TABLE(TUMBLE((SELECT t.r.a AS a, ts FROM t WHERE id <> 2), DESCRIPTOR(ts), INTERVAL '2' SECOND))
        GROUP BY window_start, window_end"""
    plan = env.explain_sql(query)
    assert "nested=[r.a]" in plan
    assert "WatermarkAssigner" in plan
    assert [(row[1], row[2]) for row in env.execute_sql(query).collect()] == [(1, 1), (1, None), (1, 4)]
    env.close()


def test_a_table_with_two_readers_stays_one_scan(path: Path) -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    table(env, path, f"{COLUMNS}, ts AS TO_TIMESTAMP_LTZ(id, 3), WATERMARK FOR ts AS ts")
    query = "SELECT x.a, y.c FROM (SELECT id, t.r.a AS a FROM t) AS x JOIN (SELECT id, t.r.b.c AS c FROM t) AS y ON x.id = y.id"
    assert sorted(map(tuple, env.execute_sql(query).collect()), key=str) == [(1, "x"), (4, None), (None, None), (None, None)]
    env.close()
