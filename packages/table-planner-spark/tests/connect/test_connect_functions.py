"""User functions, patterns of rows and large results on a session of Spark Connect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_api import AggregateFunction, Row, TableAggregateFunction
from table_api.expressions import col
from table_api.udf import udaf, udf, udtaf, udtf
from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableRuntimeException

Rows = list[tuple[Any, ...]]
KEYS = "(VALUES ('a', 1), ('a', 5), ('a', 3), ('b', 2)) AS t(k, v)"


def sorted_rows(env: SparkTableEnvironment, query: Any) -> Rows:
    table = env.sql_query(query) if isinstance(query, str) else query
    return sorted(tuple(row) for row in table.execute().collect())


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Iterator[list[int]]) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class TopTwo(TableAggregateFunction[Any, list[int]]):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[:] = sorted([*accumulator, value])[-2:]

    def emit_value(self, accumulator: list[int]) -> Iterator[Row]:
        for value in accumulator:
            yield Row(value)


def test_an_aggregate_function(env: SparkTableEnvironment) -> None:
    env.create_temporary_function("total", udaf(Total(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"))
    assert sorted_rows(env, f"SELECT k, total(v) FROM {KEYS} GROUP BY k") == [("a", 9), ("b", 2)]
    assert sorted_rows(env, f"SELECT total(v), COUNT(*) FROM {KEYS}") == [(11, 4)]
    assert sorted_rows(env, f"SELECT v, total(v) OVER (PARTITION BY k ORDER BY v) FROM {KEYS}") == [(1, 1), (2, 2), (3, 4), (5, 9)]


def test_a_table_aggregate_function(env: SparkTableEnvironment) -> None:
    top = udtaf(TopTwo(), result_type="ROW<x BIGINT>", accumulator_type="ARRAY<BIGINT>")
    table = env.sql_query(f"SELECT k, CAST(v AS BIGINT) AS v FROM {KEYS}")
    result = table.group_by(col("k")).flat_aggregate(top(col("v")).alias("x")).select(col("k"), col("x"))
    assert sorted_rows(env, result) == [("a", 3), ("a", 5), ("b", 2)]


def test_a_table_function(env: SparkTableEnvironment) -> None:
    env.create_temporary_function("words", udtf(lambda text: [(word, len(word)) for word in text.split()], result_types=["STRING", "INT"]))
    query = "SELECT s, w, n FROM (VALUES ('a bb'), ('c'), ('')) AS t(s) LEFT JOIN LATERAL TABLE(words(s)) AS u(w, n) ON TRUE"
    assert sorted_rows(env, query) == [("", None, None), ("a bb", "a", 1), ("a bb", "bb", 2), ("c", "c", 1)]


def test_vectorized_functions(env: SparkTableEnvironment) -> None:
    env.create_temporary_function("plus", udf(lambda a, b: a + b, result_type="BIGINT", func_type="pandas"))
    env.create_temporary_function("average", udaf(lambda values: values.mean(), result_type="DOUBLE", func_type="pandas"))
    assert sorted_rows(env, f"SELECT plus(v, v) FROM {KEYS} WHERE k = 'a'") == [(2,), (6,), (10,)]
    assert sorted_rows(env, f"SELECT k, average(v) FROM {KEYS} GROUP BY k") == [("a", 3.0), ("b", 2.0)]


def test_a_function_with_a_module_of_the_program(env: SparkTableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "doubling.py").write_text("def doubled(x):\n    return 2 * x\n")
    env.add_python_file(str(tmp_path / "doubling.py"))

    def doubled(x: int) -> int:
        import doubling  # type: ignore[import-not-found]

        return int(doubling.doubled(x))

    env.create_temporary_function("doubled", udf(doubled, result_type="BIGINT"))
    assert sorted_rows(env, "SELECT doubled(4)") == [(8,)]


def test_patterns_of_rows(env: SparkTableEnvironment) -> None:
    query = """
        SELECT * FROM (SELECT k, p, TIMESTAMPADD(SECOND, s, TIMESTAMP '2026-01-01 00:00:00') AS n FROM (VALUES (1, 1, 10), (1, 2, 5), (1, 3, 12), (2, 1, 7)) AS v(k, s, p)) AS t
        MATCH_RECOGNIZE (
            PARTITION BY k ORDER BY n MEASURES A.p AS a, LAST(B.p) AS b, C.p AS c ONE ROW PER MATCH
            AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C) DEFINE B AS B.p < A.p, C AS C.p > A.p) AS m"""
    assert sorted_rows(env, query) == [(1, 10, 5, 12)]


def test_a_result_that_is_too_large_for_the_server_is_refused_and_can_be_written(
    env: SparkTableEnvironment, spark: SparkSession, tmp_path: Path
) -> None:
    env.create_temporary_view("numbers", spark.range(1000))
    query = "SELECT a.id * 1000 + b.id AS n, MD5(CAST(a.id AS STRING)) AS text FROM numbers AS a, numbers AS b"
    with pytest.raises(TableRuntimeException, match=r"larger than spark\.driver\.maxResultSize") as raised:
        env.execute_sql(query).to_arrow()
    assert "INSERT the rows into a table" in str(raised.value)
    options = f"('connector' = 'filesystem', 'path' = '{tmp_path}/numbers', 'format' = 'parquet')"
    env.execute_sql(f"CREATE TEMPORARY TABLE many (n BIGINT, text STRING) WITH {options}")
    env.execute_sql(f"INSERT INTO many {query}").wait()
    assert sorted_rows(env, "SELECT COUNT(DISTINCT n), MAX(n) FROM many") == [(1_000_000, 999_999)]
