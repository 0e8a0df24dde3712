"""NOT NULL inside of columns: files are read whatever they have there, and sinks enforce it, on both engines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableError

MakeEnv = Callable[[str], TableEnvironment]

pytestmark = pytest.mark.parametrize("engine", ["arrow", "spark"])

REQUIRED = "id INT, r ROW<a INT NOT NULL>, l ARRAY<ROW<c INT NOT NULL> NOT NULL>, m MAP<STRING, INT NOT NULL>"
NULLABLE = "id INT, r ROW<a INT>, l ARRAY<ROW<c INT>>, m MAP<STRING, INT>"
ROWS: list[tuple[int, Any, Any, Any]] = [
    (1, {"a": 1}, [{"c": 1}], {"k": 1}),
    (2, None, None, None),
    (3, {"a": None}, [], {}),
    (4, None, [{"c": 1}, None], {}),
    (5, None, [{"c": None}], {}),
    (6, None, [], {"k": None}),
]


@pytest.fixture
def env(make_env: MakeEnv, engine: str, tmp_path: Path) -> TableEnvironment:
    """Files with NULLs, as tables with (``s``) and without (``n``) NOT NULL inside of the columns; ``t`` is empty."""
    env = make_env(engine)
    (tmp_path / "s").mkdir()
    lines = [json.dumps(dict(zip(("id", "r", "l", "m"), row, strict=True))) + "\n" for row in ROWS]
    (tmp_path / "s" / "rows.json").write_text("".join(lines))
    for name, columns, folder in (("s", REQUIRED, "s"), ("n", NULLABLE, "s"), ("t", REQUIRED, "t")):
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{folder}', 'format' = 'json'"
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({options})")
    return env


def rows(env: TableEnvironment, table: str) -> list[tuple[Any, ...]]:
    """Returns the rows by id, with dictionaries for rows inside."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(element) for element in value]
        return value.as_dict() if hasattr(value, "as_dict") else value

    with env.execute_sql(f"SELECT * FROM {table} ORDER BY id").collect() as found:
        return [tuple(map(plain, row)) for row in found]


def test_files_with_null_inside_are_read(env: TableEnvironment) -> None:
    assert rows(env, "s") == ROWS
    with env.execute_sql("SELECT id FROM s WHERE r.a IS NULL AND CARDINALITY(l) = 0 ORDER BY id").collect() as found:
        assert [row[0] for row in found] == [3, 6]


def test_parquet_files_with_null_inside_are_read(env: TableEnvironment, tmp_path: Path) -> None:
    for name, columns in (("written", NULLABLE), ("read_back", REQUIRED)):
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/parquet', 'format' = 'parquet'"
        env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({options})")
    env.execute_sql("INSERT INTO written SELECT * FROM n").wait()
    assert rows(env, "read_back") == ROWS


def test_nullable_parts_are_inserted_into_parts_that_are_not_null_unless_the_enforcer_is_set(env: TableEnvironment) -> None:
    env.execute_sql("INSERT INTO t SELECT * FROM n").wait()
    assert rows(env, "t") == ROWS
    env.get_config().set("table.exec.sink.nested-constraint-enforcer", "ROWS")
    with pytest.raises(TableError, match=r"'r\.a' of table default_catalog\.default_database\.t is declared NOT NULL, but a row has NULL"):
        env.execute_sql("INSERT INTO t SELECT * FROM n").wait()


def test_rows_with_null_inside_are_dropped_on_request(env: TableEnvironment) -> None:
    env.get_config().set("table.exec.sink.nested-constraint-enforcer", "ROWS_AND_COLLECTIONS")
    env.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
    env.execute_sql("INSERT INTO t SELECT * FROM n").wait()
    assert rows(env, "t") == ROWS[:2]
