"""Statements whose operators divide rows into parts: the same rows as without parts, on any number of threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.data import RowKind
from table_runtime.batch import parts
from table_runtime.batch.aggregation.keyed_aggregation import KeyedAggregation
from table_runtime.run.memory import account

ROWS = 3000
STATEMENTS = [
    "SELECT k, COUNT(DISTINCT a), COUNT(DISTINCT r), MAX(i) FROM t GROUP BY k",
    "SELECT k, ARRAY_AGG(DISTINCT a) FROM t GROUP BY k",
    "SELECT a, r, COUNT(*), COUNT(DISTINCT i) FILTER (WHERE i > 100), FIRST_VALUE(i) FROM t GROUP BY a, r",
    "SELECT i, k, s, COUNT(*), SUM(d) FROM t GROUP BY i, k, s",
    "SELECT k, s, GROUPING_ID(k, s), COUNT(*), COUNT(DISTINCT a) FROM t GROUP BY CUBE (k, s)",
    "SELECT k, s, d, GROUPING_ID(k, s, d), COUNT(*), SUM(i), AVG(i) FROM t GROUP BY ROLLUP (s, k, d)",
    "SELECT k, s, COUNT(*), MAX(i) FILTER (WHERE i > 900), ARRAY_AGG(d) FILTER (WHERE i < 9) FROM t GROUP BY GROUPING SETS ((k, s), (s), (s), ())",
    "SELECT i, a, COUNT(*), FIRST_VALUE(s) FROM t GROUP BY CUBE (i, a)",
    "SELECT x.i, y.i FROM t x JOIN t y ON x.a = y.a AND x.i < y.i",
    "SELECT x.i, y.k FROM t x FULL JOIN t y ON x.s = y.s AND x.i = y.k",
    "SELECT i FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE x.k IS NOT DISTINCT FROM y.i AND y.s > 'b')",
    "SELECT i, ROW_NUMBER() OVER (PARTITION BY a ORDER BY i), SUM(d) OVER (PARTITION BY s ORDER BY i), LAG(i) OVER (ORDER BY i) FROM t",
]


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    table = pa.table(
        {
            "i": pa.array(range(ROWS)),
            "k": pa.array([None if i % 17 == 0 else i * 7919 % 701 for i in range(ROWS)], pa.int64()),
            "s": pa.array([None if i % 13 == 0 else f"a common prefix {i * 31 % 257}" for i in range(ROWS)]),
            "d": pa.array([i % 100 for i in range(ROWS)]).cast(pa.decimal128(21, 2)),
            "a": pa.array([None if i % 19 == 0 else [i * 7 % 409, None] for i in range(ROWS)], pa.list_(pa.int64())),
            "r": pa.array([{"x": i % 5, "y": str(i % 3)} for i in range(ROWS)]),
        }
    )
    environment.create_temporary_view("t", environment.from_arrow(pa.Table.from_batches(table.to_batches(max_chunksize=100))))
    yield environment
    environment.close()


def _rows(env: TableEnvironment, statement: str) -> list[str]:
    return [
        repr(tuple(sorted(map(repr, one)) if isinstance(one, list) else one for one in row)) for row in env.execute_sql(statement).collect()
    ]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_rows_in_parts_are_those_without_parts(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    expected = sorted(_rows(env, statement))
    monkeypatch.setattr(parts, "FEWEST_ROWS", 1)
    monkeypatch.setattr(parts, "FEWEST_GROUPS", 1)
    for threads in (1, 2, 7):
        env.get_config().set("table.exec.resource.default-parallelism", str(threads))
        assert sorted(_rows(env, statement)) == expected


@pytest.mark.parametrize("statement", [one for one in STATEMENTS if "GROUP BY" in one and "FIRST_VALUE(s)" not in one])
def test_parts_whose_groups_are_spilled_have_the_same_groups(
    env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    expected = sorted(_rows(env, statement))
    monkeypatch.setattr(parts, "FEWEST_GROUPS", 1)
    monkeypatch.setattr(account, "FIXED", 60_000)
    env.get_config().set("table.exec.resource.default-parallelism", "2")
    spilled = []
    spill = KeyedAggregation.spill

    def counting(self: KeyedAggregation) -> None:
        spilled.append(self)
        spill(self)

    monkeypatch.setattr(KeyedAggregation, "spill", counting)
    assert sorted(_rows(env, statement)) == expected
    assert spilled


def test_the_order_of_rows_does_not_depend_on_the_number_of_threads(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FEWEST_ROWS", 1)
    monkeypatch.setattr("table_runtime.batch.parts.BATCH_ROWS", 100)
    found = []
    for threads in (1, 2, 7):
        env.get_config().set("table.exec.resource.default-parallelism", str(threads))
        found.append(_rows(env, "SELECT i, ROW_NUMBER() OVER (PARTITION BY a ORDER BY i) FROM t"))
    assert found[0] == found[1] == found[2]


def test_windows_whose_results_change_keep_the_order_of_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT k, n, SUM(n) OVER (PARTITION BY MOD(k, 5) ORDER BY k) FROM (SELECT k, COUNT(*) n FROM t GROUP BY k)"

    def result() -> list[str]:
        with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as environment:
            rows = environment.from_elements([(i * 7 % 60,) for i in range(400)], ["k"])
            environment.create_temporary_view("t", rows)
            changes = Counter[str]()
            for row in environment.execute_sql(query).collect():
                changes[repr(tuple(row))] += 1 if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
            return sorted(changes.elements()) if min(changes.values()) >= 0 else ["a retraction of no row"]

    expected = result()
    monkeypatch.setattr(parts, "FEWEST_ROWS", 1)
    monkeypatch.setattr(account, "FIXED", 1000)
    assert result() == expected
