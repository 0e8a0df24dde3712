from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_planner_spark.relation import SparkRelation


def numbers(spark: SparkSession, name: str, count: int = 3) -> SparkRelation:
    return SparkRelation(spark.range(count).toDF(name), [name])


def rows(node: SparkRelation) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in node.frame.collect())


@pytest.fixture
def statements(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that are given to Spark."""
    texts: list[str] = []
    sql = SparkSession.sql

    def remember(self: SparkSession, text: str) -> Any:
        texts.append(text)
        return sql(self, text)

    monkeypatch.setattr(SparkSession, "sql", remember)
    return texts


def test_nodes_are_one_statement(spark: SparkSession, statements: list[str]) -> None:
    node = numbers(spark, "a").select(["`a` + 1 AS `b`"], ["b"]).append_clause(" WHERE `b` > 1").select(["`b` * 10 AS `c`"], ["c"])
    assert rows(node) == [(20,), (30,)]
    assert len(statements) == 1


def test_joins_share_one_from_clause(spark: SparkSession, statements: list[str]) -> None:
    a, b, c = (numbers(spark, name) for name in "abc")
    both = SparkRelation.join(a, "INNER", b, " ON `a` = `b`")
    assert rows(SparkRelation.join(both, "INNER", c, " ON `a` = `c` + 1").append_clause(" WHERE `a` > 1")) == [(2, 2, 1)]
    assert statements[0].count("SELECT") == 1


def test_a_join_on_the_right_keeps_its_condition(spark: SparkSession) -> None:
    a, b, c = (numbers(spark, name, count) for name, count in (("a", 3), ("b", 2), ("c", 1)))
    right = SparkRelation.join(b, "LEFT OUTER", c, " ON `b` = `c`")
    assert rows(SparkRelation.join(a, "LEFT OUTER", right, " ON `a` = `b`").append_clause(" ORDER BY `a` LIMIT 2")) == [
        (0, 0, 0),
        (1, 1, None),
    ]


def test_what_two_nodes_read_is_written_once(spark: SparkSession, statements: list[str]) -> None:
    shared = numbers(spark, "a").select(["`a` + 1 AS `b`"], ["b"])
    left, right = (shared.select([f"`b` AS `{name}`"], [name]) for name in ("c", "d"))
    assert rows(SparkRelation.join(left, "INNER", right, " ON `c` = `d`")) == [(1, 1), (2, 2), (3, 3)]
    assert statements[0].count("`a` + 1") == 1


def test_scalar_subqueries_become_columns_of_one_query(spark: SparkSession, statements: list[str]) -> None:
    one_rows = [numbers(spark, "n").select([f"count(*) + {i} AS `c{i}`"], [f"c{i}"]) for i in range(3)]
    node = numbers(spark, "a", 2)
    for one_row in one_rows:
        node = node.with_scalar_subquery(one_row)
    assert rows(node) == [(0, 3, 4, 5), (1, 3, 4, 5)]
    assert statements[-1].count("FROM (SELECT") == 3


@pytest.mark.parametrize(("merges", "selects"), [(True, 1), (False, 2)])
def test_windows_over_the_same_rows_are_one_select_if_there_are_many(
    spark: SparkSession, statements: list[str], merges: bool, selects: int
) -> None:
    node = numbers(spark, "a").select_columns([0])
    for position in range(2):
        node = node.with_windows({f"s{position}": f"sum(`a`) OVER (ORDER BY `a` + {position})"}, ["a"], merges=merges)
    assert node.columns == ("a", "s0", "s1")
    assert rows(node) == [(0, 0, 0), (1, 1, 1), (2, 3, 3)]
    assert statements[-1].count("SELECT") == selects


def test_a_window_over_the_column_of_another_is_a_select_above_it(spark: SparkSession, statements: list[str]) -> None:
    node = numbers(spark, "a").where("`a` > 0", is_deterministic=True)
    node = node.with_windows({"s": "sum(`a`) OVER ()"}, ["a"], merges=True)
    node = node.with_windows({"t": "sum(`s`) OVER ()"}, ["s"], merges=True)
    assert rows(node.select_columns([0, 2])) == [(1, 6), (2, 6)]
    assert statements[-1].count("SELECT") == 3


def test_columns_are_picked_without_a_select(spark: SparkSession, statements: list[str]) -> None:
    both = SparkRelation.join(numbers(spark, "a"), "INNER", numbers(spark, "b"), " ON `a` = `b`")
    picked = both.select_columns([1]).where("`b` > 0", is_deterministic=True).select_columns([0]).select(["`b` * 10 AS `c`"], ["c"])
    assert rows(picked) == [(10,), (20,)]
    assert statements[0].count("SELECT") == 1
    assert both.select_columns([1, 0]).frame.columns == ["b", "a"]
    assert both.select_columns([1]).frame.columns == ["b"]


def test_a_condition_that_is_not_deterministic_is_evaluated_in_one_place(spark: SparkSession, statements: list[str]) -> None:
    some = numbers(spark, "a", 1000).where("rand() < 0.5", is_deterministic=False)
    counts = [some.select([f"count(*) AS `{name}`"], [name]) for name in "bc"]
    ((left, right),) = rows(SparkRelation.join(counts[0], "CROSS", counts[1], ""))
    assert left == right
    assert statements[0].count("rand()") == 1


def test_plans_of_any_depth_are_parsed(spark: SparkSession) -> None:
    node = numbers(spark, "a0", 1)
    for number in range(150):
        node = node.select([f"`a{number}` + 1 AS `a{number + 1}`"], [f"a{number + 1}"])
    assert rows(node) == [(150,)]


def test_names_of_frames_are_gone_afterwards(spark: SparkSession) -> None:
    node = numbers(spark, "a").append_clause(" WHERE `a` > 1")
    assert rows(node) == [(2,)]
    assert [table.name for table in spark.catalog.listTables() if table.name.startswith("__table")] == []


def test_dataframes_that_the_user_cached_stay_cached(spark: SparkSession) -> None:
    frame = spark.range(3).toDF("a").cache()
    try:
        assert rows(SparkRelation(frame, ["a"]).append_clause(" WHERE `a` > 1")) == [(2,)]
        assert frame.storageLevel.useMemory
    finally:
        frame.unpersist()


def test_a_frame_is_read_again_in_later_statements(spark: SparkSession) -> None:
    leaf = numbers(spark, "a")
    assert [rows(leaf.append_clause(f" WHERE `a` = {number}")) for number in (0, 1, 2)] == [[(0,)], [(1,)], [(2,)]]


def test_a_frame_of_another_session_is_read(spark: SparkSession) -> None:
    other = numbers(spark.newSession(), "b")
    node = SparkRelation.join(numbers(spark, "a"), "INNER", other, " ON `a` = `b`")
    assert rows(node.append_clause(" WHERE `a` > 1")) == [(2, 2)]


def test_a_deep_plan_reads_a_frame_that_is_also_read_beside_it(spark: SparkSession) -> None:
    frame = spark.range(3).toDF("a")
    deep = SparkRelation(frame, ["a"])
    for number in range(30):
        deep = deep.select([f"`{deep.columns[0]}` AS `b{number}`"], [f"b{number}"])
    beside = SparkRelation(frame, ["a"]).append_clause(" WHERE `a` > 1")
    assert rows(SparkRelation.join(beside, "INNER", deep, " ON `a` = `b29`")) == [(2, 2)]
    assert [table.name for table in spark.catalog.listTables() if table.name.startswith("__table")] == []
