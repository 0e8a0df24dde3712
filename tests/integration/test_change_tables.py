"""Changelog tables in batch mode: their final rows, on both engines."""

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


def row(number: int, name: str | None, tags: list[str] | None = None) -> dict[str, Any]:
    return {"id": number, "name": name, "tags": tags, "props": {"k": number}}


def write(folder: Path, name: str, *changes: tuple[Any, Any]) -> None:
    """Writes changes (row before, row after)."""
    operations = {(True, False): "c", (False, False): "u", (False, True): "d"}
    lines = [
        {"before": before, "after": after, "op": operations[before is None, after is None], "source": {"table": name}, "ts_ms": position}
        for position, (before, after) in enumerate(changes)
    ]
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two changelog files; the changes of the second come after those of the first."""
    folder = tmp_path / "changes"
    folder.mkdir()
    write(folder, "1.json", (None, row(1, "a", ["x"])), (None, row(2, None)), (None, row(2, None)), (None, row(3, "c")))
    write(folder, "2.json", (row(1, "a", ["x"]), row(1, "b", ["x", "y"])), (row(2, None), None), (row(3, "c"), None))
    return folder


def create(env: TableEnvironment, folder: Path, *, key: str = "", options: str = "", columns: str = "") -> None:
    env.execute_sql(
        f"CREATE TABLE t (id INT, name STRING, tags ARRAY<STRING>, props MAP<STRING, INT>{columns}{key}) WITH "
        f"('connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{folder}'{options})"
    )


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


def test_without_a_key_a_retraction_removes_one_equal_row(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder)
    assert sorted(rows(env, "SELECT id, name, tags, props FROM t")) == [(1, "b", ["x", "y"], {"k": 1}), (2, None, None, {"k": 2})]


def test_with_a_key_the_last_change_of_each_key_counts(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, key=", PRIMARY KEY (id) NOT ENFORCED")
    assert rows(env, "SELECT id, name FROM t") == [(1, "b")]


def test_filters_and_aggregates_apply_to_final_rows(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, key=", PRIMARY KEY (id) NOT ENFORCED")
    assert rows(env, "SELECT COUNT(*), MAX(name) FROM t WHERE name < 'b' OR id = 1") == [(1, "b")]


def test_metadata_of_the_format_and_of_the_file_are_columns(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    columns = ", told TIMESTAMP_LTZ(3) METADATA FROM 'ingestion-timestamp' VIRTUAL, source STRING METADATA FROM 'source.table' VIRTUAL"
    columns += ", file STRING METADATA FROM 'file.name' VIRTUAL"
    create(env, folder, key=", PRIMARY KEY (id) NOT ENFORCED", columns=columns)
    assert rows(env, "SELECT source, file, EXTRACT(SECOND FROM told) FROM t") == [("2.json", "2.json", 0)]


def test_an_invalid_line_is_an_error_or_skipped(make_env: MakeEnv, folder: Path, engine: str) -> None:
    with (folder / "2.json").open("a") as file:
        file.write('{"op": "x"}\n')
    env = make_env(engine)
    create(env, folder)
    with pytest.raises(TableError, match=r"2.json', line 4: 'op' must be one of c, r, u, d, not x"):
        rows(env, "SELECT * FROM t")
    hinted = "SELECT id FROM t /*+ OPTIONS('debezium-json.ignore-parse-errors' = 'true') */"
    assert sorted(rows(env, hinted)) == [(1,), (2,)]


@pytest.mark.parametrize("format_", ["debezium-json", "canal-json", "maxwell-json", "ogg-json"])
def test_inserted_rows_are_read_back(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str) -> None:
    env = make_env(engine)
    options = f"'connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path / 'out'}'"
    env.execute_sql(f"CREATE TABLE o (id INT, name STRING) PARTITIONED BY (name) WITH ({options})")
    env.execute_sql("INSERT INTO o VALUES (1, 'a'), (2, 'b')").wait()
    assert sorted(rows(env, "SELECT * FROM o")) == [(1, "a"), (2, "b")]
