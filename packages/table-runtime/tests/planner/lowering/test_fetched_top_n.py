"""ORDER BY … LIMIT over wide rows of files: the other columns are fetched for the rows of the result, which are the same."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_runtime.batch.sort.top_n import TopN
from table_runtime.planner.lowering import fetched_top_n as module

SEED = 23
COLUMNS = "k DOUBLE, name STRING, kind STRING, n BIGINT, tags ARRAY<INT>"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Iterator[TableEnvironment]:
    monkeypatch.setattr(module, "LEAST_BYTES", 1)
    print(f"seed {SEED}")
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        yield made


def rows(count: int, seed: int = SEED) -> pa.Table:
    chosen = random.Random(seed)
    return pa.table(
        {
            "n": pa.array(range(count), pa.int64()),
            "k": pa.array([chosen.choice([None, math.nan, -0.0, 1.5, float(chosen.randrange(count))]) for _ in range(count)], pa.float64()),
            "name": [f"name {chosen.randrange(10**6)}" for _ in range(count)],
            "kind": [chosen.choice(["a", "bé", "c", None]) for _ in range(count)],
            "tags": pa.array([[i, None] if i % 3 else None for i in range(count)], pa.list_(pa.int32())),
        }
    )


def declare(env: TableEnvironment, path: Path, columns: str = COLUMNS, more: str = "") -> None:
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}'{more})")


@pytest.fixture
def folder(env: TableEnvironment, tmp_path: Path) -> Path:
    for number, count in enumerate((700, 1, 350)):
        pq.write_table(rows(count, SEED + number), tmp_path / f"part-{number}.parquet", row_group_size=100)
    declare(env, tmp_path)
    return tmp_path


def both(env: TableEnvironment, query: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Returns the rows with and without fetched columns."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "MOST_ROWS", 0)
        assert "FetchRows" not in env.explain_sql(query)
        whole = repr(env.execute_sql(query).to_arrow().to_pylist())
    return repr(env.execute_sql(query).to_arrow().to_pylist()), whole


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t ORDER BY k LIMIT 10",
        "SELECT * FROM t ORDER BY k DESC, n LIMIT 20",
        "SELECT * FROM t ORDER BY k NULLS LAST, n DESC LIMIT 7 OFFSET 5",
        "SELECT name, kind, n, tags, k FROM t ORDER BY kind DESC, n LIMIT 100",
        "SELECT k, name, kind, n FROM t ORDER BY n LIMIT 1",
        "SELECT * FROM t ORDER BY n DESC LIMIT 150 OFFSET 50",
    ],
)
def test_rows_are_those_of_a_whole_scan(env: TableEnvironment, folder: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = env.explain_sql(query)
    assert "FetchRows" in text
    assert "$row" in text
    fetched, whole = both(env, query, monkeypatch)
    assert fetched == whole


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t WHERE n > 5 ORDER BY k LIMIT 10",
        "SELECT k, n FROM t ORDER BY k LIMIT 10",
        "SELECT * FROM t ORDER BY k LIMIT 500",
        "SELECT n + 1, kind, name, k FROM t ORDER BY k LIMIT 9",
        "SELECT * FROM t ORDER BY k LIMIT 3 OFFSET 2000",
        "SELECT * FROM t ORDER BY k",
        "SELECT * FROM t LIMIT 3",
        "SELECT * FROM (SELECT k + 1 AS k, name, kind, n FROM t) AS s ORDER BY k LIMIT 3",
    ],
)
def test_other_queries_read_their_columns_at_once(env: TableEnvironment, folder: Path, query: str) -> None:
    assert "FetchRows" not in env.explain_sql(query)


def test_small_files_are_read_at_once(env: TableEnvironment, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_BYTES", 8 << 20)
    assert "FetchRows" not in env.explain_sql("SELECT * FROM t ORDER BY k LIMIT 10")


def test_only_row_groups_of_the_result_are_decoded(env: TableEnvironment, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from table_runtime.formats.parquet import rows as parquet_rows

    read: list[int] = []
    whole = parquet_rows._rows_of

    def record(path: Path, metadata: Any, encoded: Any, group: int, columns: Any, wanted: Any) -> Any:
        read.append(group)
        return whole(path, metadata, encoded, group, columns, wanted)

    monkeypatch.setattr(parquet_rows, "_rows_of", record)
    assert env.execute_sql("SELECT n, name, kind, k FROM t ORDER BY n DESC LIMIT 5").to_arrow().column(0).to_pylist() == [
        *range(699, 694, -1)
    ]
    assert read == [6]


def test_types_are_those_of_the_table(env: TableEnvironment, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env.execute_sql("DROP TABLE t")
    declare(env, folder, "n INT, k FLOAT, kind VARCHAR(5), name STRING, tags ARRAY<BIGINT>")
    fetched, whole = both(env, "SELECT * FROM t ORDER BY n DESC LIMIT 4", monkeypatch)
    assert fetched == whole


def test_a_file_that_changes_is_an_error(env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(rows(500), path, row_group_size=100)
    declare(env, path)
    batches = TopN.batches
    other = [rows(500, SEED + 1), rows(3)]

    def change(self: TopN, context: Any) -> Iterator[pa.RecordBatch]:
        yield from batches(self, context)
        pq.write_table(other.pop(), path, row_group_size=100)

    monkeypatch.setattr(TopN, "batches", change)
    for _ in range(2):
        with pytest.raises(TableRuntimeException, match="t changed while the query read it"):
            env.execute_sql("SELECT * FROM t ORDER BY k DESC NULLS LAST LIMIT 10").to_arrow()


def test_a_damaged_file_is_an_error_that_names_it(env: TableEnvironment, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(rows(500), path, row_group_size=100, compression="none", use_dictionary=False)
    content = path.read_bytes()
    place = content.index(b"name ")
    path.write_bytes(content[: place - 40] + bytes([255] * 80) + content[place + 40 :])
    declare(env, path)
    with pytest.raises(TableRuntimeException, match=r"t\.parquet"):
        env.execute_sql("SELECT * FROM t ORDER BY n LIMIT 10").to_arrow()
