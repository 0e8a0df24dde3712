"""DataFrames to tables and back."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_api import Schema
from table_api.expressions import col
from table_api_bridge import SparkTableEnvironment, from_spark_schema
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import CharType, DataTypes, IntType, LocalZonedTimestampType, VarCharType


def test_a_data_frame_is_read_under_a_name(run: Any, spark: SparkSession) -> None:
    run.environment.create_temporary_view("t", spark.range(3).selectExpr("id", "concat('n', id) AS name"))
    assert run.rows("SELECT UPPER(name) FROM t WHERE id > 1") == [("N2",)]


def test_a_table_becomes_a_data_frame(env: SparkTableEnvironment, spark: SparkSession) -> None:
    frame = env.to_data_frame(env.from_data_frame(spark.range(3)).filter(col("id") > 1).select(col("id").alias("x")))
    assert [tuple(row) for row in frame.collect()] == [(2,)]


def test_sql_types_go_to_spark_and_back(env: SparkTableEnvironment) -> None:
    table = env.sql_query("SELECT CAST('a' AS CHAR(3)) AS c, 1 AS n")
    assert from_spark_schema(env.to_data_frame(table).schema).column_types == (CharType(3, nullable=False), IntType(nullable=False))
    assert env.from_data_frame(env.to_data_frame(table)).get_resolved_schema() == table.get_resolved_schema()


def test_columns_of_one_name_can_be_read_by_position(env: SparkTableEnvironment, spark: SparkSession) -> None:
    twice = spark.range(1).selectExpr("id AS a", "id + 1 AS a")
    schema = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])
    table = env.from_data_frame(twice, schema)
    assert table.get_resolved_schema().column_types == (IntType(), VarCharType())
    assert [tuple(row) for row in env.to_data_frame(table).collect()] == [(0, "1")]


def test_a_schema_of_another_width_is_refused(env: SparkTableEnvironment, spark: SparkSession) -> None:
    with pytest.raises(ValidationException, match=r"The schema has 1 columns .* but the DataFrame has 2"):
        env.from_data_frame(spark.range(1).selectExpr("id", "id AS x"), DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT())]))


def test_a_type_to_which_spark_does_not_cast_is_refused(env: SparkTableEnvironment, spark: SparkSession) -> None:
    schema = Schema.new_builder().column("n", "BIGINT").column("ts", "TIMESTAMP(3)").build()
    table = env.from_data_frame(spark.range(1).selectExpr("id", "id AS x"), schema)
    with pytest.raises(TableException, match=r"The column 'x' of the DataFrame is of the type BIGINT, .* to TIMESTAMP\(3\), .* 'ts'"):
        table.execute().to_arrow()


def test_a_primary_key_of_an_unknown_column_is_refused(env: SparkTableEnvironment, spark: SparkSession) -> None:
    frame = spark.range(2)
    with pytest.raises(ValidationException, match="Primary key column 'z' does not exist"):
        env.from_data_frame(frame, Schema.new_builder().column("n", "BIGINT").primary_key("z").build())
    table = env.from_data_frame(frame, Schema.new_builder().column("n", "BIGINT").primary_key("n").build())
    assert table.execute().to_arrow().to_pylist() == [{"n": 0}, {"n": 1}]


def test_a_data_frame_without_columns_is_refused(env: SparkTableEnvironment, spark: SparkSession) -> None:
    with pytest.raises(ValidationException, match="The DataFrame has no columns"):
        env.from_data_frame(spark.range(1).select())


def test_a_spark_timestamp_is_an_instant(env: SparkTableEnvironment, spark: SparkSession) -> None:
    table = env.from_data_frame(spark.sql("SELECT timestamp_micros(0L) AS t"))
    assert table.get_resolved_schema().column_types == (LocalZonedTimestampType(6, nullable=False),)
    assert env.to_data_frame(table.select(col("t").cast(DataTypes.STRING()))).collect()[0][0] == "1970-01-01 00:00:00.000000"


@pytest.mark.parametrize("text", ["x", "array(x)", "named_struct('x', x)"])
def test_text_in_another_encoding_is_an_error(env: SparkTableEnvironment, spark: SparkSession, text: str) -> None:
    """Spark does not check the bytes of a text."""
    frame = spark.sql(f"SELECT {text} AS x FROM (SELECT CAST(X'61FF' AS STRING) AS x)")
    with pytest.raises(TableRuntimeException, match=r"with bytes of another encoding: .*UTF8"):
        env.from_data_frame(frame).execute().to_arrow()


def test_nothing_runs_before_the_program_runs_it(env: SparkTableEnvironment, spark: SparkSession) -> None:
    failing = spark.range(1).selectExpr("raise_error('it ran') AS x", "id")
    env.to_data_frame(env.from_data_frame(failing.select("id", "x").selectExpr("id", "CAST(x AS STRING) AS x")).select(col("id"), col("x")))
