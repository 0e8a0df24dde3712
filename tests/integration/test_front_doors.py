"""SQL and the Table API build equal operation trees: they meet in the operation builder."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_api import DataTypes, EnvironmentSettings, Table, TableEnvironment
from table_api.expressions import call, col, lit
from table_api.window import Slide


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as env:
        env.execute_sql(
            "CREATE TEMPORARY TABLE t (name STRING, age INT, pay DECIMAL(10, 2)) WITH ('connector'='filesystem','format'='csv','path'='x')"
        )
        env.execute_sql("CREATE TEMPORARY TABLE u (id BIGINT, who STRING) WITH ('connector'='filesystem','format'='csv','path'='y')")
        yield env


CASES: dict[str, tuple[str, Callable[[TableEnvironment], Table]]] = {
    "projection": ("SELECT name, age FROM t", lambda e: e.from_path("t").select(col("name"), col("age"))),
    "expressions": (
        "SELECT UPPER(name) AS n, age * 2 + 1 AS a FROM t",
        lambda e: e.from_path("t").select(col("name").upper_case.alias("n"), (col("age") * 2 + 1).alias("a")),
    ),
    "filter": (
        "SELECT name FROM t WHERE age > 30 AND name <> 'x'",
        lambda e: e.from_path("t").where((col("age") > 30) & (col("name") != "x")).select(col("name")),
    ),
    "null tests and membership": (
        "SELECT name FROM t WHERE name IS NOT NULL AND age IN (1, 2)",
        lambda e: e.from_path("t").filter(col("name").is_not_null & col("age").in_(1, 2)).select(col("name")),
    ),
    "grouping": (
        "SELECT name, SUM(age) AS s, COUNT(pay) AS c FROM t GROUP BY name",
        lambda e: e.from_path("t").group_by(col("name")).select(col("name"), col("age").sum.alias("s"), col("pay").count.alias("c")),
    ),
    "global aggregate": (
        "SELECT MAX(age) AS m, AVG(pay) AS a FROM t",
        lambda e: e.from_path("t").select(col("age").max.alias("m"), col("pay").avg.alias("a")),
    ),
    "windows of time": (
        (
            "SELECT name, HOP_START(CAST(name AS TIMESTAMP(3)), INTERVAL '5' MINUTE, INTERVAL '1' HOUR) AS s, COUNT(pay) AS c FROM t "
            "GROUP BY HOP(CAST(name AS TIMESTAMP(3)), INTERVAL '5' MINUTE, INTERVAL '1' HOUR), name"
        ),
        lambda e: (
            e.from_path("t")
            .window(Slide.over(lit(1).hours).every(lit(5).minutes).on(col("name").cast(DataTypes.TIMESTAMP(3))).alias("w"))
            .group_by(col("w"), col("name"))
            .select(col("name"), col("w").start.alias("s"), col("pay").count.alias("c"))
        ),
    ),
    "inner join": (
        "SELECT name, id FROM t JOIN u ON name = who",
        lambda e: e.from_path("t").join(e.from_path("u"), col("name") == col("who")).select(col("name"), col("id")),
    ),
    "left join": (
        "SELECT name, id FROM t LEFT JOIN u ON name = who",
        lambda e: e.from_path("t").left_outer_join(e.from_path("u"), col("name") == col("who")).select(col("name"), col("id")),
    ),
    "order and limit": (
        "SELECT name, age FROM t ORDER BY age DESC NULLS FIRST, name NULLS LAST LIMIT 3",
        lambda e: e.from_path("t").select(col("name"), col("age")).order_by(col("age").desc, col("name").asc).limit(3),
    ),
    "offset and fetch": (
        "SELECT name FROM t ORDER BY name NULLS LAST LIMIT 3 OFFSET 2",
        lambda e: e.from_path("t").select(col("name")).order_by(col("name").asc).limit(3, 2),
    ),
    "distinct": ("SELECT DISTINCT name FROM t", lambda e: e.from_path("t").select(col("name")).distinct()),
    "union": (
        "SELECT name FROM t UNION ALL SELECT who FROM u",
        lambda e: e.from_path("t").select(col("name")).union_all(e.from_path("u").select(col("who"))),
    ),
    "conditional": (
        "SELECT COALESCE(name, 'none') AS n, CAST(age AS STRING) AS a FROM t",
        lambda e: e.from_path("t").select(call("COALESCE", col("name"), "none").alias("n"), col("age").cast(DataTypes.STRING()).alias("a")),
    ),
    "literals": (
        "SELECT 1 AS a, 'x' AS b, TRUE AS c FROM t",
        lambda e: e.from_path("t").select(lit(1).alias("a"), lit("x").alias("b"), lit(True).alias("c")),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_sql_and_the_table_api_build_equal_trees(env: TableEnvironment, case: str) -> None:
    sql, build = CASES[case]
    assert env.sql_query(sql).query_operation == build(env).query_operation
