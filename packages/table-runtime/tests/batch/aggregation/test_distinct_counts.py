"""COUNT(DISTINCT …) by key through a table of pairs: the counts are those of sets, whatever ends the table."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.batch.aggregation import distinct_counts, hash_aggregate
from table_runtime.batch.aggregation.distinct_counts import DistinctCounts
from table_runtime.run.memory import account as memory_account

SEED = 17
QUERY = "SELECT k, COUNT(DISTINCT v), COUNT(*) FROM t GROUP BY k"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Iterator[TableEnvironment]:
    monkeypatch.setattr(distinct_counts, "FEWEST_ROWS", 10)
    monkeypatch.setattr(hash_aggregate, "FIRST_RUN_ROWS", 100)
    monkeypatch.setattr(hash_aggregate, "RUN_ROWS", 100)
    print(f"seed {SEED}")
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        yield made


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each aggregation, whether the table gave its counts."""
    found: list[bool] = []
    counts = DistinctCounts.counts

    def record(self: DistinctCounts) -> Any:
        result = counts(self)
        found.append(result is not None)
        return result

    monkeypatch.setattr(DistinctCounts, "counts", record)
    return found


def rows(kind: str, count: int, keys: int, values: int) -> dict[str, list[Any]]:
    chosen = random.Random(SEED)

    def one(number: int) -> Any:
        return None if chosen.random() < 0.1 else f"t{number}" if kind == "STRING" else number - 5

    return {"k": [one(chosen.randrange(keys)) for _ in range(count)], "v": [one(chosen.randrange(values)) for _ in range(count)]}


def given(env: TableEnvironment, columns: dict[str, list[Any]], batch: int = 70) -> None:
    table = pa.table(columns)
    env.create_temporary_view("t", env.from_arrow(pa.Table.from_batches(table.to_batches(max_chunksize=batch), table.schema)))


def expected(columns: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    values: dict[Any, set[Any]] = defaultdict(set)
    count: dict[Any, int] = defaultdict(int)
    for key, value in zip(columns["k"], columns["v"], strict=True):
        values[key] |= {value} - {None}
        count[key] += 1
    return sorted(((key, len(values[key]), count[key]) for key in count), key=repr)


def answer(env: TableEnvironment, query: str = QUERY) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()), key=repr)


@pytest.mark.parametrize("kind", ["STRING", "BIGINT"])
@pytest.mark.parametrize(("keys", "values"), [(1, 1), (3, 500), (500, 3), (40, 40)])
def test_counts_are_those_of_sets(env: TableEnvironment, counted: list[bool], kind: str, keys: int, values: int) -> None:
    columns = rows(kind, 2_000, keys, values)
    given(env, columns)
    assert answer(env) == expected(columns)
    assert counted == [True]


@pytest.mark.parametrize(("name", "limit"), [("MOST_CELLS", 1), ("MOST_CELLS", 900), ("MOST_VALUES", 60)])
def test_a_table_that_grows_too_large_is_given_up(
    env: TableEnvironment, counted: list[bool], name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distinct_counts, name, limit)
    chosen = rows("STRING", 300, 4, 20)
    more = rows("STRING", 2_000, 50, 90)
    columns = {column: chosen[column] + more[column] for column in chosen}
    given(env, columns)
    assert answer(env) == expected(columns)
    assert counted == [False]


def test_a_table_beyond_the_memory_is_spilled(env: TableEnvironment, counted: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_account, "FIXED", 2_000)
    columns = rows("BIGINT", 4_000, 100, 300)
    given(env, columns)
    assert answer(env) == expected(columns)
    assert counted == [False]


def test_few_rows_need_no_table(env: TableEnvironment, counted: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct_counts, "FEWEST_ROWS", 1_000)
    columns = rows("BIGINT", 500, 3, 9)
    given(env, columns)
    assert answer(env) == expected(columns)
    assert counted == [False]


def test_a_small_last_run_and_a_filter(env: TableEnvironment, counted: list[bool]) -> None:
    columns = rows("STRING", 305, 3, 9)
    given(env, columns)
    assert answer(env) == expected(columns)
    chosen = {column: [one for one, key in zip(columns[column], columns["k"], strict=True) if key == "t1"] for column in columns}
    query = "SELECT k, COUNT(DISTINCT v) FILTER (WHERE k = 't1'), COUNT(*) FROM t GROUP BY k"
    assert [row for row in answer(env, query) if row[0] == "t1"] == expected(chosen)
    assert {row[1] for row in answer(env, query) if row[0] != "t1"} == {0}
    assert all(counted)


def test_grouping_sets_and_other_calls_are_aggregated_by_key(env: TableEnvironment, counted: list[bool]) -> None:
    columns = rows("BIGINT", 500, 3, 9)
    given(env, columns)
    total = len({value for value in columns["v"] if value is not None})
    assert (None, total, 500) in answer(env, "SELECT k, COUNT(DISTINCT v), COUNT(*) FROM t GROUP BY GROUPING SETS ((k), ())")
    assert answer(env, "SELECT k, COUNT(DISTINCT v), SUM(DISTINCT v) * 0 + COUNT(*) FROM t GROUP BY k") == expected(columns)
    assert counted == []


def test_dictionaries_of_files(env: TableEnvironment, counted: list[bool], tmp_path: Any) -> None:
    columns = rows("STRING", 2_000, 30, 80)
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=300)
    env.execute_sql(
        f"CREATE TABLE t (k STRING, v STRING) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path / 't.parquet'}')"
    )
    assert answer(env) == expected(columns)
    assert counted == [True]
