"""Conditions over texts that Parquet files store as dictionaries select the same rows as over other columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_runtime.formats.parquet import conditions as parquet_conditions

_Row = dict[str, Any]
COLUMNS = "a STRING, b STRING NOT NULL, n BIGINT"
CASES: list[tuple[str, Callable[[_Row], bool]]] = [
    ("a = 'x'", lambda row: row["a"] == "x"),
    ("a <> 'x'", lambda row: row["a"] not in (None, "x")),
    ("a IN ('x', 'é') AND b = 'x'", lambda row: row["a"] in ("x", "é") and row["b"] == "x"),
    ("a IS NULL", lambda row: row["a"] is None),
    ("a IS NOT NULL", lambda row: row["a"] is not None),
    ("a IS NULL OR a = ''", lambda row: row["a"] in (None, "")),
    ("(a = 'x') IS NOT TRUE", lambda row: row["a"] != "x"),
    ("a = 'x' AND n < 50", lambda row: row["a"] == "x" and row["n"] < 50),
    ("b <> 'x' AND n < 50 AND n > 20", lambda row: row["b"] != "x" and 20 < row["n"] < 50),
    ("a = b", lambda row: row["a"] == row["b"]),
    ("a = b AND a = 'x'", lambda row: row["a"] == row["b"] == "x"),
    ("a = 'x' OR n = 7", lambda row: row["a"] == "x" or row["n"] == 7),
    ("a > 'w' AND a <= 'yy'", lambda row: row["a"] is not None and "w" < row["a"] <= "yy"),
    ("a LIKE 'y%'", lambda row: row["a"] is not None and row["a"].startswith("y")),
    ("UPPER(a) = 'X'", lambda row: row["a"] == "x"),
    ("a = 'no such text'", lambda row: False),
]


def _rows(count: int) -> pa.Table:
    random = Random(3)
    few = ["x", "yy", "", "é", None]
    return pa.table(
        {
            "a": pa.array([random.choice(few) for _ in range(count)]),
            "b": pa.array([random.choice(few[:3]) for _ in range(count)]),
            "n": pa.array([random.randrange(100) for _ in range(count)]),
        }
    )


@pytest.fixture
def env(mixed_dictionaries: Callable[[pa.Table], Path]) -> TableEnvironment:
    """An environment with the table t of files with dictionaries, without, and with one column as a dictionary."""
    return _environment(mixed_dictionaries(_rows(3000)))


def _environment(path: Path) -> TableEnvironment:
    result = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    result.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')")
    return result


@pytest.mark.parametrize(("condition", "holds"), CASES, ids=[text for text, _ in CASES])
def test_rows(env: TableEnvironment, condition: str, holds: Callable[[_Row], bool]) -> None:
    result = env.execute_sql(f"SELECT n, a, b FROM t WHERE {condition}").to_arrow()
    assert result.schema.types == [pa.int64(), pa.string(), pa.string()]
    expected = [row for row in _rows(3000).to_pylist() if holds(row)]
    assert sorted(map(repr, result.select(["a", "b", "n"]).to_pylist())) == sorted(map(repr, expected))


@pytest.mark.parametrize(("condition", "holds"), CASES, ids=[text for text, _ in CASES])
def test_groups(env: TableEnvironment, condition: str, holds: Callable[[_Row], bool]) -> None:
    result = env.execute_sql(f"SELECT b, COUNT(*) AS m, SUM(n) AS s FROM t WHERE {condition} GROUP BY b").to_arrow()
    rows = [row for row in _rows(3000).to_pylist() if holds(row)]
    expected = {text: [row["n"] for row in rows if row["b"] == text] for text in {row["b"] for row in rows}}
    assert {row["b"]: (row["m"], row["s"]) for row in result.to_pylist()} == {b: (len(n), sum(n)) for b, n in expected.items()}


def test_more_values_than_are_remembered(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_conditions, "MOST_VALUES", 2)
    assert len(env.execute_sql("SELECT n FROM t WHERE a = 'x' AND b = 'yy'").to_arrow()) == sum(
        row["a"] == "x" and row["b"] == "yy" for row in _rows(3000).to_pylist()
    )


def test_row_groups_without_a_text_are_not_read(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"] * 500 + ["z"] * 500, "b": ["x"] * 1000, "n": range(1000)})
    path = tmp_path / "t"
    path.mkdir()
    pq.write_table(table, path / "0.parquet", row_group_size=500)
    env = _environment(path)
    ((plan,),) = env.execute_sql("EXPLAIN ANALYZE SELECT n FROM t WHERE a = 'z' AND n >= 0").collect()
    assert "rows=500" in next(line for line in plan.splitlines() if "ScanFiles" in line)
    assert len(env.execute_sql("SELECT n FROM t WHERE a = 'y'").to_arrow()) == 0


def test_a_damaged_dictionary_is_an_error(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(array: pa.Array) -> None:
        raise pa.ArrowInvalid("its dictionary has a value twice")

    monkeypatch.setattr(parquet_conditions, "require_indices", refuse)
    with pytest.raises(TableRuntimeException, match=r"Column a of the Parquet file .* is damaged: its dictionary has a value twice"):
        env.execute_sql("SELECT n FROM t WHERE a = 'x'").to_arrow()
