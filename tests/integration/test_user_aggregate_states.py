"""User aggregates that define ``merge``: on Spark accumulators are shuffled, not rows; the results are the same on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from table_api import TableEnvironment, TableRuntimeException
from table_api.expressions import col
from table_api.udf import AggregateFunction, ListView, MapView, TableAggregateFunction
from table_common.types import Instant

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


@dataclass
class Sums:
    total: int = 0
    count: int = 0
    seen: ListView[int] = field(default_factory=ListView)
    by_value: MapView[int, int] = field(default_factory=MapView)


class Summary(AggregateFunction[str, Sums]):
    """Values of all types that an accumulator can contain, as text."""

    def create_accumulator(self) -> Sums:
        return Sums()

    def accumulate(self, accumulator: Sums, value: int) -> None:
        accumulator.total += value
        accumulator.count += 1
        accumulator.seen.add(value)
        accumulator.by_value[value] = (accumulator.by_value.get(value) or 0) + 1

    def merge(self, accumulator: Sums, others: Iterable[Sums]) -> None:
        for other in others:
            accumulator.total += other.total
            accumulator.count += other.count
            accumulator.seen.add_all(other.seen)
            for value, count in other.by_value.items():
                accumulator.by_value[value] = (accumulator.by_value.get(value) or 0) + count

    def get_value(self, accumulator: Sums) -> str:
        counts = ",".join(f"{value}:{count}" for value, count in sorted(accumulator.by_value.items()))
        return f"{accumulator.total}/{accumulator.count} {sorted(accumulator.seen)} {counts}"


class Count(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int]) -> None:
        accumulator[0] += 1

    def merge(self, accumulator: list[int], others: Iterable[list[int]]) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


VALUES = "(VALUES (1, 'a', 3), (2, 'a', 5), (1, 'b', 3), (1, 'a', CAST(NULL AS INT)), (CAST(NULL AS INT), 'b', 7)) AS t(k, l, x)"


@pytest.fixture
def env(planner: str, make_env: MakeEnv) -> TableEnvironment:
    made = make_env(planner)
    made.create_temporary_function("summary", Summary)
    made.create_temporary_function("how_many", Count)
    return made


def test_accumulators_of_a_class_of_this_file_by_group(env: TableEnvironment, planner: str) -> None:
    found = rows(env, f"SELECT k, summary(x), how_many() FROM {VALUES} GROUP BY k")
    assert sorted(found, key=repr) == [(1, "6/2 [3, 3] 3:2", 3), (2, "5/1 [5] 5:1", 1), (None, "7/1 [7] 7:1", 1)]


def test_without_rows_the_result_is_that_of_an_empty_accumulator(env: TableEnvironment, planner: str) -> None:
    assert rows(env, f"SELECT summary(x), how_many() FROM {VALUES} WHERE k > 5") == [("0/0 [] ", 0)]


def test_without_rows_there_are_no_groups(env: TableEnvironment, planner: str) -> None:
    assert rows(env, f"SELECT summary(x) FROM {VALUES} WHERE k > 5 GROUP BY k") == []


def test_a_group_without_rows_after_filter_is_kept(env: TableEnvironment, planner: str) -> None:
    sql = f"SELECT l, summary(x) FILTER (WHERE x > 6), how_many() FILTER (WHERE k = 1) FROM {VALUES} GROUP BY l ORDER BY l"
    assert rows(env, sql) == [("a", "0/0 [] ", 2), ("b", "7/1 [7] 7:1", 1)]


def test_grouping_sets_merge_accumulators(env: TableEnvironment, planner: str) -> None:
    found = rows(env, f"SELECT l, k, how_many(), GROUPING(k) FROM {VALUES} WHERE k IS NOT NULL GROUP BY GROUPING SETS ((l, k), (l), ())")
    assert sorted(found, key=repr) == [
        ("a", 1, 2, 0),
        ("a", 2, 1, 0),
        ("a", None, 3, 1),
        ("b", 1, 1, 0),
        ("b", None, 1, 1),
        (None, None, 4, 1),
    ]


def test_distinct_beside_it_keeps_rows(env: TableEnvironment, planner: str) -> None:
    found = rows(env, f"SELECT l, summary(DISTINCT x), how_many() FROM {VALUES} WHERE k = 1 GROUP BY l ORDER BY l")
    assert found == [("a", "3/1 [3] 3:1", 2), ("b", "3/1 [3] 3:1", 1)]


def test_built_in_aggregate_beside_it(env: TableEnvironment, planner: str) -> None:
    assert rows(env, f"SELECT l, how_many(), SUM(x) FROM {VALUES} GROUP BY l ORDER BY l") == [("a", 3, 8), ("b", 2, 10)]


class Latest(AggregateFunction[Instant | None, list[Instant]]):
    def create_accumulator(self) -> list[Instant]:
        return []

    def accumulate(self, accumulator: list[Instant], at: Instant) -> None:
        accumulator[:] = [max(at, *accumulator)] if accumulator else [at]

    def merge(self, accumulator: list[Instant], others: Iterable[list[Instant]]) -> None:
        for other in others:
            for at in other:
                self.accumulate(accumulator, at)

    def get_value(self, accumulator: list[Instant]) -> Instant | None:
        return accumulator[0] if accumulator else None


def test_keys_and_arguments_of_types_with_special_encoding(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("latest", Latest)
    sql = """SELECT k, CAST(latest(CAST(t AS TIMESTAMP_LTZ(6))) AS STRING) FROM (VALUES
             (INTERVAL '1-2' YEAR TO MONTH, TIMESTAMP '2020-01-01 00:00:00'),
             (INTERVAL '1-2' YEAR TO MONTH, TIMESTAMP '2021-01-01 00:00:00')) AS v(k, t) GROUP BY k"""
    assert [row[1] for row in rows(env, sql)] == ["2021-01-01 00:00:00.000000"]


class Top(TableAggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)
        accumulator[:] = sorted(accumulator, reverse=True)[:2]

    def merge(self, accumulator: list[int], others: Iterable[list[int]]) -> None:
        for other in others:
            for value in other:
                self.accumulate(accumulator, value)

    def emit_value(self, accumulator: list[int]) -> Iterator[int]:
        yield from accumulator


def test_table_aggregate(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("top", Top)
    table = env.from_elements([(1, i) for i in range(5)] + [(2, 9)], ["k", "x"])
    from table_api.expressions import call

    found = table.group_by(col("k")).flat_aggregate(call("top", col("x")).alias("v")).select(col("k"), col("v"))
    with found.execute().collect() as result:
        assert sorted(tuple(row) for row in result) == [(1, 3), (1, 4), (2, 9)]


class Failing(Count):
    def accumulate(self, accumulator: list[int], value: int) -> None:  # type: ignore[override]
        raise ValueError("no more")


def test_an_exception_in_accumulate_is_reported_unchanged(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("failing", Failing)
    with pytest.raises(TableRuntimeException, match=r"The function failing failed, called with \(3\): ValueError: no more"):
        rows(env, f"SELECT failing(x) FROM {VALUES} GROUP BY l")
    assert rows(env, "SELECT 1") == [(1,)]


def test_group_of_a_million_rows_is_shuffled_as_its_accumulators(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("how_many", Count)
    env.execute_sql(
        "CREATE TEMPORARY TABLE t (x BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1200000',"
        " 'fields.x.kind' = 'sequence', 'fields.x.start' = '1', 'fields.x.end' = '1200000')"
    )
    assert rows(env, "SELECT how_many() FROM t") == [(1_200_000,)]
    if planner == "spark":
        plan = env.explain_sql("SELECT how_many() FROM t")
        assert plan.index("Exchange") < plan.index("MapInArrow")  # the tree is printed from its root


@pytest.mark.parametrize(
    "second",
    [
        "SELECT l, SUMMARY(x) OVER (PARTITION BY l) AS s FROM " + VALUES,
        "SELECT l, SUMMARY(DISTINCT x) AS s FROM " + VALUES + " WHERE x IS NOT NULL GROUP BY l",
        "SELECT l, SUMMARY(x) AS s, LISTAGG(l) AS m FROM " + VALUES + " WHERE x IS NOT NULL GROUP BY l",
    ],
    ids=["over a window", "of distinct values", "beside a built-in aggregate"],
)
def test_the_order_of_queries_in_a_session_does_not_matter(second: str, planner: str, make_env: MakeEnv) -> None:
    plain = "SELECT l, SUMMARY(x) AS s FROM " + VALUES + " WHERE x IS NOT NULL GROUP BY l"
    second = second.replace(VALUES, VALUES + " WHERE x IS NOT NULL") if "OVER" in second else second
    made = make_env(planner)
    made.create_temporary_function("summary", Summary)
    for query in (plain, second, plain, second):
        assert {row[0]: row[1] for row in rows(made, query)} == {"a": "8/2 [3, 5] 3:1,5:1", "b": "10/2 [3, 7] 3:1,7:1"}
