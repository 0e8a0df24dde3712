"""DataFrames of Spark in statements of streaming mode."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def test_a_data_frame_is_read_by_a_batch_query(watched: Any, spark: SparkSession) -> None:
    from table_api_bridge import SparkTableEnvironment

    with SparkTableEnvironment.create(spark) as env:
        env.execute_sql("SET 'execution.runtime-mode' = 'streaming'")
        env.create_temporary_view("d", env.from_data_frame(spark.range(5).selectExpr("id % 2 AS k", "id AS v")))
        with env.execute_sql("SELECT k, SUM(v) FROM d GROUP BY k").collect() as rows:
            changes = [(str(row.get_row_kind()), tuple(row)) for row in rows]
    assert sorted(changes) == [("+I", (0, 6)), ("+I", (1, 4))]
