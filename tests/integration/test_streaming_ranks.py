"""RANK and DENSE_RANK over updating aggregates: the final table of streaming mode equals the result of batch mode."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from table_api import EnvironmentSettings, TableEnvironment


@pytest.mark.parametrize("function", ["RANK", "DENSE_RANK"])
@pytest.mark.parametrize("order", ["COUNT(*) DESC", "COUNT(*)", "MAX(v) DESC", "MIN(v)", "SUM(v) DESC"])
def test_ranks_are_correct_if_updates_create_ties(function: str, order: str) -> None:
    for seed in range(4):
        chance = random.Random(seed)
        rows = ", ".join(f"({chance.randrange(2)}, {chance.randrange(5)}, {chance.randrange(4)})" for _ in range(60))
        aggregate, _, direction = order.partition(" ")
        ranked = (
            f"SELECT p, s, c, {function}() OVER (PARTITION BY p ORDER BY c {direction}) AS n "
            f"FROM (SELECT p, s, {aggregate} AS c FROM (VALUES {rows}) AS t(p, s, v) GROUP BY p, s)"
        )
        for columns in ("p, s, c, n", "p, s, c"):
            for bound in ("n <= 1", "n <= 3", "n BETWEEN 2 AND 4"):
                sql = f"SELECT {columns} FROM ({ranked}) WHERE {bound}"
                assert table_of(sql, "streaming") == table_of(sql, "batch"), f"seed {seed}: {sql}"


def table_of(sql: str, mode: str) -> Counter[tuple[object, ...]]:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    env = TableEnvironment.create((builder.in_streaming_mode() if mode == "streaming" else builder.in_batch_mode()).build())
    table: Counter[tuple[object, ...]] = Counter()
    with env.execute_sql(sql).collect() as rows:
        for row in rows:
            adds = str(row.get_row_kind()) in ("+I", "+U", "RowKind.INSERT", "RowKind.UPDATE_AFTER")
            table[tuple(row)] += 1 if adds else -1
            assert table[tuple(row)] >= 0
    return +table
