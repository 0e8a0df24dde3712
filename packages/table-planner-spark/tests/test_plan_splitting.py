from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from table_planner_spark.relation import SparkRelation


def doubled(spark: SparkSession, levels: int) -> SparkRelation:
    node = SparkRelation(spark.range(1).toDF("c0"), ["c0"])
    for level in range(1, levels + 1):
        sides = [node.select([f"`c{level - 1}` AS `{side}{level}`"], [f"{side}{level}"]) for side in "lr"]
        both = SparkRelation.join(sides[0], "INNER", sides[1], f" ON `l{level}` = `r{level}`")
        node = both.select([f"`l{level}` + 1 AS `c{level}`"], [f"c{level}"])
    return node


def chained(count: int) -> str:
    """Returns a query over CTEs of which each joins the one before with itself, and which names the last twice."""
    names = [f"c{i} AS (SELECT x.a FROM c{i - 1} AS x JOIN c{i - 1} AS y ON x.a = y.a)" for i in range(1, count + 1)]
    return f"WITH c0 AS (SELECT 1 AS a), {', '.join(names)} SELECT x.a + y.a FROM c{count} AS x JOIN c{count} AS y ON x.a = y.a"


def test_a_part_that_is_read_in_few_places_is_planned_with_what_reads_it(spark: SparkSession) -> None:
    assert not doubled(spark, 2).has_separate_parts


def test_each_part_is_run_once_and_before_what_reads_it(spark: SparkSession) -> None:
    parts: list[DataFrame] = []

    def reader(part: DataFrame) -> DataFrame:
        parts.append(part)
        return spark.createDataFrame(part.collect(), part.schema)

    assert [tuple(row) for row in doubled(spark, 12).through_parts(reader).collect()] == [(12,)]
    assert 2 <= len(parts) <= 6


@pytest.mark.parametrize("statement", [chained(24), f"SELECT COUNT(*) FROM ({chained(24)}) AS t"])
def test_a_chain_of_queries_that_name_the_one_before_twice_is_run(run: Any, statement: str) -> None:
    assert run.rows(statement) in ([(2,)], [(1,)])


def windows(count: int) -> str:
    """Returns a query with windows that Spark cannot compute together: each is an operator above the one before."""
    return f"SELECT {', '.join(f'SUM(a) OVER (ORDER BY a + {i}) AS s{i}' for i in range(count))} FROM (VALUES (1), (2)) AS t (a)"


def crossed(spark: SparkSession, count: int) -> SparkRelation:
    node = SparkRelation(spark.range(1).toDF("c0"), ["c0"])
    for number in range(1, count):
        node = SparkRelation.join(node, "CROSS", SparkRelation(spark.range(1).toDF(f"c{number}"), [f"c{number}"]), "")
    return node


def test_a_deep_plan_with_many_columns_is_run_in_parts(spark: SparkSession) -> None:
    parts: list[DataFrame] = []

    def reader(part: DataFrame) -> DataFrame:
        parts.append(part)
        return spark.createDataFrame(part.collect(), part.schema)

    assert [tuple(row) for row in crossed(spark, 70).through_parts(reader).collect()] == [(0,) * 70]
    assert [len(part.columns) for part in parts] == [65]


def test_a_deep_plan_with_few_columns_is_planned_as_a_whole(spark: SparkSession) -> None:
    deep = crossed(spark, 70)
    assert deep.has_separate_parts
    assert not deep.select(["count(*) AS `n`"], ["n"]).has_separate_parts


def test_many_windows_give_their_columns(run: Any) -> None:
    (first, second) = run.rows(windows(66))
    assert (first, second) == ((1,) * 66, (3,) * 66)


def test_explaining_runs_no_part(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DataFrame, "localCheckpoint", lambda self, eager: pytest.fail("a part was run"))
    text = env.explain_sql(chained(24))
    assert text.count("Physical Plan") > 2
    assert len(text) < 200_000


def test_rows_of_repeated_parts_are_written(env: Any, run: Any, tmp_path: Any) -> None:
    env.execute_sql(f"CREATE TABLE doubled (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/d', 'format' = 'parquet')")
    try:
        env.execute_sql(f"INSERT INTO doubled {chained(10)}").wait()
        assert run.rows("SELECT a FROM doubled") == [(2,)]
    finally:
        env.execute_sql("DROP TABLE doubled")
