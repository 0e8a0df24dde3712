"""The rows of a DataFrame in the tasks of an epoch."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from table_api_bridge import DataFrameQueryOperation, SparkTableEnvironment
from table_common.arrow import to_arrow_schema
from table_planner_spark.spark_internals import SPARK_VERSION
from table_planner_spark.streaming.frame_rows import FrameRows

COLUMNS = {
    "t": "CAST(id AS TINYINT)",
    "s": "CAST(id AS SMALLINT)",
    "i": "CAST(id AS INT)",
    "l": "id",
    "f": "CAST(id / 3 AS FLOAT)",
    "d": "id / 7D",
    "c": "CAST(id AS DECIMAL(38, 18))",
    "n": "CAST(id AS DECIMAL(5, 2))",
    "x": "CONCAT('ä', CAST(id AS STRING))",
    "b": "CAST(CAST(id AS STRING) AS BINARY)",
    "o": "id % 2 = 0",
    "day": "DATE_ADD(DATE'1969-12-30', CAST(id AS INT))",
    "ltz": "TIMESTAMP_MICROS(1234567 * id)",
    "ntz": "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999' + make_dt_interval(0, 0, 0, id)",
    "a": "ARRAY(id, NULL)",
    "m": "MAP(CAST(id AS STRING), ARRAY(id))",
    "r": "NAMED_STRUCT('p', id, 'q', NAMED_STRUCT('z', CAST(id AS DECIMAL(7, 3))))",
    "ym": "make_ym_interval(CAST(id AS INT), 3)",
    "dt": "make_dt_interval(CAST(id AS INT), 1, 2, 3.5)",
    "v": "parse_json(CONCAT('{\"a\": ', CAST(id AS STRING), '}'))",
    **({"time": "CAST('10:11:12.123456' AS TIME(6))", "short": "CAST('10:11:12' AS TIME(0))"} if SPARK_VERSION >= (4, 1) else {}),
}


def test_values_of_all_types_are_those_of_the_batch_query(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.timeType.enabled", None)
    spark.conf.set("spark.sql.timeType.enabled", "true")
    try:
        texts = [f"IF(id % 3 = 1, NULL, {text}) AS {name}" for name, text in COLUMNS.items()]
        frame = spark.range(0, 9, 1, 4).selectExpr(*texts)
        with SparkTableEnvironment.create(spark) as env:
            table = env.from_data_frame(frame)
            node, planner = table.query_operation, env.session.planner
            assert isinstance(node, DataFrameQueryOperation)
            row_type = node.resolved_schema.to_row_type()
            schema = to_arrow_schema(row_type)
            rows = FrameRows(planner._encoded(frame, node), row_type, schema)  # type: ignore[attr-defined]
            assert [part.number for part in rows.parts] == [0, 1, 2, 3]
            found: list[Any] = rows.contents.mapPartitions(rows.decoded).collect()
            assert [batch.num_rows for batch in found] == [2, 2, 2, 3]
            assert pa.Table.from_batches(found, schema).to_pylist() == table.execute().to_arrow().to_pylist()
    finally:
        spark.conf.unset("spark.sql.timeType.enabled") if before is None else spark.conf.set("spark.sql.timeType.enabled", before)
