"""The access to a session whose Spark runs in this process."""

from __future__ import annotations

from contextlib import ExitStack

from pyspark.sql import SparkSession

from table_planner_spark.session.adapters import adapter_of


def test_a_frame_has_its_name_until_the_stack_closes(spark: SparkSession) -> None:
    access, frames = adapter_of(spark), {}
    with ExitStack() as stack:
        name = access.name_frame(spark.range(3), spark, frames, stack)
        found = access.run_sql(spark, f"SELECT id FROM {name}", frames)
    assert found.count() == 3
    assert name not in [table.name for table in spark.catalog.listTables()]


def test_an_empty_frame_has_the_columns(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS a, 'x' AS b")
    empty = adapter_of(spark).empty_like(frame)
    assert (empty.schema, empty.count()) == (frame.schema, 0)
