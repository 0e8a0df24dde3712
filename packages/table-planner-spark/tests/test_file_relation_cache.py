from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_planner_spark import file_relation_cache
from table_planner_spark.file_relation_cache import FileRelationCache


class Made:
    """Stands for a DataFrame and counts how many were made."""

    count = 0

    def __init__(self) -> None:
        Made.count += 1


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "part-0").write_text("a")
    return tmp_path


def ask(known: FileRelationCache, path: Path, key: str = "k") -> Any:
    return known.frame(sorted(path.iterdir()), key, Made)  # type: ignore[arg-type]  # any object will do


def test_a_reader_of_the_same_files_is_used_again(table: Path) -> None:
    known = FileRelationCache()
    assert ask(known, table) is ask(known, table)


def test_another_way_to_read_is_another_reader(table: Path) -> None:
    known = FileRelationCache()
    assert ask(known, table) is not ask(known, table, "other")


@pytest.mark.parametrize("change", ["new file", "other content", "file removed"])
def test_changed_files_are_read_anew(table: Path, change: str) -> None:
    known = FileRelationCache()
    (table / "part-1").write_text("b")
    before = ask(known, table)
    match change:
        case "new file":
            (table / "part-2").write_text("c")
        case "other content":
            (table / "part-1").write_text("longer")
        case _:
            (table / "part-1").unlink()
    assert ask(known, table) is not before


def test_files_elsewhere_are_listed_each_time() -> None:
    known = FileRelationCache()
    assert known.frame(None, "k", Made) is not known.frame(None, "k", Made)  # type: ignore[arg-type]


def test_readers_that_were_not_used_for_long_are_forgotten(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_relation_cache, "_MOST", 2)
    known = FileRelationCache()
    first = ask(known, table, "1")
    for key in ("2", "3"):
        ask(known, table, key)
    assert ask(known, table, "1") is not first


def test_a_query_sees_files_that_came_after_the_last_one(env: Any, run: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "0.parquet")
    env.execute_sql(f"CREATE TABLE known (a BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')")
    assert run.rows("SELECT SUM(a) AS n FROM known") == [(3,)]
    pq.write_table(pa.table({"a": [4]}), tmp_path / "1.parquet")
    assert run.rows("SELECT SUM(a) AS n FROM known") == [(7,)]
    pq.write_table(pa.table({"a": [5, 5]}), tmp_path / "0.parquet")
    assert run.rows("SELECT SUM(a) AS n FROM known") == [(14,)]
