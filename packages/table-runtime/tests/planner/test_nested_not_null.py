"""NOT NULL inside of the columns of sinks, where the source declares it and does not keep it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException

COLUMNS = "id INT, r ROW<a INT NOT NULL, b STRING>, l ARRAY<ROW<c INT NOT NULL> NOT NULL>, m MAP<STRING, INT NOT NULL>"
GOOD = {"id": 1, "r": {"a": 1, "b": None}, "l": [{"c": 1}], "m": {"k": 1}}
NULLS = {"id": 2, "r": None, "l": None, "m": None}
EMPTY = {"id": 3, "r": None, "l": [], "m": {}}
BAD_ROW = {"id": 4, "r": {"a": None, "b": "x"}, "l": [], "m": {}}
BAD_ELEMENT = {"id": 5, "r": None, "l": [{"c": 1}, None], "m": {}}
BAD_FIELD = {"id": 6, "r": None, "l": [{"c": None}], "m": {}}
BAD_VALUE = {"id": 7, "r": None, "l": [], "m": {"k": None}}
BAD = [BAD_ROW, BAD_ELEMENT, BAD_FIELD, BAD_VALUE]


@pytest.fixture(params=["batch", "streaming"])
def tables(request: Any, tmp_path: Path) -> Any:
    """An environment with the tables ``s`` and ``t`` of equal columns, and a function that copies rows and returns the ids written."""
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    settings = (builder.in_batch_mode() if request.param == "batch" else builder.in_streaming_mode()).build()
    with TableEnvironment.create(settings) as env:
        for name in "st":
            (tmp_path / name).mkdir()
            options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'json'"
            env.execute_sql(f"CREATE TABLE {name} ({COLUMNS}) WITH ({options})")

        def copy(nested: str, not_null: str, *rows: Any) -> list[int]:
            env.get_config().set("table.exec.sink.nested-constraint-enforcer", nested)
            env.get_config().set("table.exec.sink.not-null-enforcer", not_null)
            (tmp_path / "s" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
            env.execute_sql("INSERT INTO t SELECT * FROM s").wait()
            written = [path for path in (tmp_path / "t").rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
            return sorted(json.loads(line)["id"] for path in written for line in path.read_text().splitlines())

        yield copy


@pytest.mark.parametrize(
    ("nested", "ids"), [("IGNORE", [1, 2, 3, 4, 5, 6, 7]), ("ROWS", [1, 2, 3, 5, 6, 7]), ("ROWS_AND_COLLECTIONS", [1, 2, 3])]
)
def test_rows_with_null_inside_are_dropped(tables: Any, nested: str, ids: list[int]) -> None:
    assert tables(nested, "DROP", GOOD, NULLS, EMPTY, *BAD) == ids


@pytest.mark.parametrize(
    ("bad", "path"), [(BAD_ROW, "r.a"), (BAD_ELEMENT, r"l\[element\]"), (BAD_FIELD, r"l\[element\]\.c"), (BAD_VALUE, r"m\[value\]")]
)
def test_null_inside_is_an_error_that_names_the_part(tables: Any, bad: Any, path: str) -> None:
    with pytest.raises(TableRuntimeException, match=rf"'{path}' of table default_catalog\.default_database\.t is declared NOT NULL"):
        tables("ROWS_AND_COLLECTIONS", "ERROR", GOOD, bad)
