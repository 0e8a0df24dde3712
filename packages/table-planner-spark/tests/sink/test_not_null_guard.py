"""Columns of sinks that are declared NOT NULL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException

NULL_ROW = "INSERT INTO guarded SELECT x, 'b' FROM (VALUES (1), (CAST(NULL AS INT))) AS t(x)"


@pytest.fixture
def guarded(env: Any) -> Any:
    env.execute_sql("CREATE TEMPORARY TABLE guarded (a INT NOT NULL, b STRING) WITH ('connector' = 'blackhole')")
    return env


def test_a_null_is_an_error_that_names_the_column(guarded: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"Column 'a' of table default_catalog\.default_database\.guarded is declared NOT NULL"):
        guarded.execute_sql(NULL_ROW).wait()


def test_a_row_with_null_is_dropped_with_the_option(guarded: Any) -> None:
    guarded.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
    (counts,) = guarded.execute_sql(NULL_ROW).to_arrow().to_pylist()
    assert list(counts.values()) == [1]


NESTED = "id INT, r ROW<a INT NOT NULL, b STRING>, l ARRAY<ROW<c INT NOT NULL> NOT NULL>, m MAP<STRING, INT NOT NULL>"
ROWS = [
    {"id": 1, "r": {"a": 1, "b": None}, "l": [{"c": 1}], "m": {"k": 1}},
    {"id": 2, "r": None, "l": None, "m": None},
    {"id": 3, "r": None, "l": [], "m": {}},
    {"id": 4, "r": {"a": None, "b": "x"}, "l": [], "m": {}},
    {"id": 5, "r": None, "l": [{"c": 1}, None], "m": {}},
    {"id": 6, "r": None, "l": [{"c": None}], "m": {}},
    {"id": 7, "r": None, "l": [], "m": {"k": None}},
]


@pytest.fixture
def copy(env: Any, tmp_path: Path) -> Any:
    for name in "st":
        (tmp_path / name).mkdir()
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'json'"
        env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({NESTED}) WITH ({options})")
    (tmp_path / "s" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(nested: str, not_null: str) -> list[int]:
        env.get_config().set("table.exec.sink.nested-constraint-enforcer", nested)
        env.get_config().set("table.exec.sink.not-null-enforcer", not_null)
        env.execute_sql("INSERT INTO t SELECT * FROM s").wait()
        written = [path for path in (tmp_path / "t").rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
        return sorted(json.loads(line)["id"] for path in written for line in path.read_text().splitlines())

    return run


@pytest.mark.parametrize(("nested", "ids"), [("ROWS", [1, 2, 3, 5, 6, 7]), ("ROWS_AND_COLLECTIONS", [1, 2, 3])])
def test_rows_with_null_inside_are_dropped(copy: Any, nested: str, ids: list[int]) -> None:
    assert copy(nested, "DROP") == ids


def test_null_inside_is_an_error_that_names_the_part(copy: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"'r\.a' of table default_catalog\.default_database\.t is declared NOT NULL"):
        copy("ROWS", "ERROR")
