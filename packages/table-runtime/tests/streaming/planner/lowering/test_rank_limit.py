"""Ranks that a filter bounds: which windows sort fewer rows, and that rows stay the same."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.operators import rank_limit

SELECT = "SELECT k, v, n, r FROM (SELECT *, {rank} OVER (PARTITION BY k ORDER BY {order}) AS r FROM t) WHERE {condition}"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(rank_limit, "BATCH_ROWS", 8)
    rng = random.Random(7)
    rows = [(rng.randrange(4), rng.choice([None, 1, 2, 3, 4, 5]), n) for n in range(400)]
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    columns = [pa.array([row[i] for row in rows], pa.int64()) for i in range(3)]
    batch = pa.RecordBatch.from_arrays(columns, names=["k", "v", "n"])
    env.create_temporary_view("t", env.from_arrow(pa.Table.from_batches([batch.slice(start, 5) for start in range(0, 400, 5)])))
    return env


def expected(env: TableEnvironment, rank: str, descending: bool, keep: Any) -> list[tuple[Any, ...]]:
    partitions = defaultdict(list)
    for row in env.execute_sql("SELECT k, v, n FROM t").collect():
        partitions[row[0]].append(tuple(row))
    result = []
    for rows in partitions.values():
        # NULL is the least value
        keys = {row: (-1 if row[1] is None else row[1]) * (-1 if descending else 1) for row in rows}
        rows.sort(key=keys.__getitem__)
        for place, row in enumerate(rows, 1):
            number = place if rank == "ROW_NUMBER()" else 1 + sum(keys[other] < keys[row] for other in rows)
            if keep(number):
                result.append((*row, number))
    return sorted(result, key=repr)


@pytest.mark.parametrize("rank", ["ROW_NUMBER()", "RANK()"])
@pytest.mark.parametrize("order", ["v", "v DESC"])
@pytest.mark.parametrize(("condition", "greatest"), [("r <= 3", 3), ("4 > r AND n >= 0", 3), ("r = 2", 2), ("r BETWEEN 2 AND 90", 90)])
def test_the_first_rows_are_those_of_the_whole_order(env: TableEnvironment, rank: str, order: str, condition: str, greatest: int) -> None:
    query = SELECT.format(rank=rank, order=order, condition=condition)
    assert f"fetch=[{greatest}]" in env.explain_sql(query)
    least = 2 if "2" in condition else 1
    found = sorted(map(tuple, env.execute_sql(query).collect()), key=repr)
    assert found == expected(env, rank, "DESC" in order, lambda number: least <= number <= greatest)


@pytest.mark.parametrize(
    ("rank", "condition"),
    [("ROW_NUMBER()", "r >= 3"), ("ROW_NUMBER()", "r <= 3 OR n = 1"), ("DENSE_RANK()", "r <= 3"), ("ROW_NUMBER()", "r <= 100000")],
)
def test_other_conditions_need_all_rows(env: TableEnvironment, rank: str, condition: str) -> None:
    assert "RankLimit" not in env.explain_sql(SELECT.format(rank=rank, order="v", condition=condition))


def test_a_window_with_another_call_needs_all_rows(env: TableEnvironment) -> None:
    query = "SELECT * FROM (SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r, SUM(n) OVER (PARTITION BY k ORDER BY v) AS s FROM t) WHERE r <= 2"
    assert "RankLimit" not in env.explain_sql(query)
