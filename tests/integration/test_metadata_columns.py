"""METADATA columns: values of a row that the connector provides."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment, ValidationException

MakeEnv = Callable[[str], TableEnvironment]

pytestmark = pytest.mark.parametrize("engine", ["arrow", "spark"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table whose path and files have names that URLs write otherwise."""
    folder = tmp_path / "a table+"
    folder.mkdir()
    (folder / "one two.csv").write_text("1,x\n2,y\n")
    (folder / "three.csv").write_text("3,z\n")
    return folder


def create(env: TableEnvironment, folder: Path, columns: str, connector: str = "") -> None:
    options = connector or f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{folder}'"
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({options})")


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


def test_each_row_has_the_metadata_of_its_file(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(
        env,
        folder,
        "id INT, `file.name` STRING NOT NULL METADATA VIRTUAL, s STRING, p STRING METADATA FROM 'file.path' VIRTUAL, "
        "size INT METADATA FROM 'file.size' VIRTUAL, named AS UPPER(`file.name`)",
    )
    assert rows(env, "SELECT * FROM t ORDER BY id") == [
        (1, "one two.csv", "x", str(folder / "one two.csv"), 8, "ONE TWO.CSV"),
        (2, "one two.csv", "y", str(folder / "one two.csv"), 8, "ONE TWO.CSV"),
        (3, "three.csv", "z", str(folder / "three.csv"), 4, "THREE.CSV"),
    ]


def test_the_modification_time_of_a_file_is_metadata(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, "id INT, s STRING, changed TIMESTAMP_LTZ(3) METADATA FROM 'file.modification-time' VIRTUAL")
    ((changed,),) = rows(env, "SELECT changed FROM t WHERE id = 3")
    milliseconds = (folder / "three.csv").stat().st_mtime_ns // 1_000_000
    assert changed.astimezone(UTC) == datetime.fromtimestamp(milliseconds / 1000, UTC)


def test_filters_and_groups_may_use_metadata_alone(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, "id INT, s STRING, f STRING METADATA FROM 'file.name' VIRTUAL")
    assert rows(env, "SELECT f, COUNT(*) FROM t GROUP BY f ORDER BY f") == [("one two.csv", 2), ("three.csv", 1)]
    assert rows(env, "SELECT id FROM t WHERE f = 'three.csv' AND id > 0") == [(3,)]
    assert rows(env, "SELECT COUNT(*) FROM t") == [(3,)]


def test_columns_in_the_order_of_the_scan_need_no_projection(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, "id INT, s STRING, `file.name` STRING NOT NULL METADATA VIRTUAL")
    assert rows(env, "SELECT * FROM t WHERE id = 3") == [(3, "z", "three.csv")]


@pytest.mark.parametrize(
    ("columns", "connector", "message"),
    [
        ("id INT, f STRING METADATA FROM 'file.nme'", "", "Metadata key 'file.nme' does not exist .* Did you mean 'file.name'"),
        ("id INT, f BOOLEAN METADATA FROM 'file.size'", "'connector' = 'datagen', 'number-of-rows' = '1'", "has no metadata"),
        ("id INT, f BOOLEAN METADATA FROM 'file.modification-time'", "", "cannot be cast to BOOLEAN"),
    ],
)
def test_metadata_that_cannot_be_read_is_refused(
    make_env: MakeEnv, folder: Path, engine: str, columns: str, connector: str, message: str
) -> None:
    env = make_env(engine)
    create(env, folder, columns, connector)
    with pytest.raises(ValidationException, match=message):
        env.execute_sql("SELECT * FROM t")


def test_writing_read_only_metadata_is_refused_with_a_hint(make_env: MakeEnv, folder: Path, engine: str) -> None:
    env = make_env(engine)
    create(env, folder, "id INT, s STRING, `file.name` STRING METADATA")
    with pytest.raises(ValidationException, match=r"cannot write the metadata column .file\.name.") as caught:
        env.execute_sql("INSERT INTO t VALUES (4, 'w', 'x')")
    assert "METADATA VIRTUAL" in str(caught.value.hint)
