"""Connectors that yield Arrow batches."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from table_api_bridge import SparkTableEnvironment
from table_common.arrow import to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.configuration import Configuration
from table_common.connector import ArrowScanProvider
from table_common.types import IntType, LocalZonedTimestampType, RowType, TimestampType, VarCharType, YearMonthIntervalType
from table_planner_spark.context import LoweringContext
from table_planner_spark.errors import to_runtime_error
from table_planner_spark.expressions.python_boundary import encode_sql, from_transport
from table_planner_spark.scan.providers import read_provider

# Workers cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SCHEMA = ResolvedSchema.physical(
    [
        ("n", IntType()),
        ("s", VarCharType()),
        ("at", TimestampType(3)),
        ("instant", LocalZonedTimestampType(6)),
        ("fine", TimestampType(9)),
        ("months", YearMonthIntervalType()),
    ]
)
ROW_TYPE: RowType = SCHEMA.to_row_type()


def _batch(n: int) -> pa.RecordBatch:
    schema = to_arrow_schema(ROW_TYPE)
    return pa.RecordBatch.from_arrays(
        [pa.array([value], field.type) for value, field in zip([n, f"row {n}", 1_000 * n, n, n, n], schema, strict=True)], schema=schema
    )


class Numbers(ArrowScanProvider):
    """One row for each split."""

    def splits(self) -> Sequence[int]:
        return [1, 2, 3]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        if split < 0:
            raise ValueError("the split is broken")
        yield _batch(split)


class Broken(Numbers):
    """A split that cannot be read."""

    def splits(self) -> Sequence[int]:
        return [-1]


def test_all_splits_are_read_with_their_types(spark: SparkSession) -> None:
    context = LoweringContext(spark, Configuration())
    node = read_provider(Numbers(), SCHEMA, "the test", context)
    texts = [f"{encode_sql(f'`{n}`', c.data_type)} AS `{n}`" for n, c in zip(node.columns, SCHEMA.columns, strict=True)]
    table = from_transport(node.frame.selectExpr(*texts).toArrow(), ROW_TYPE).sort_by("n").combine_chunks()
    assert table.to_batches()[0].equals(pa.Table.from_batches([_batch(1), _batch(2), _batch(3)]).combine_chunks().to_batches()[0])


def test_a_failing_reader_is_an_error_with_its_own_words(spark: SparkSession) -> None:
    node = read_provider(Broken(), ResolvedSchema.physical([("n", IntType())]), "the test", LoweringContext(spark, Configuration()))
    with pytest.raises(PySparkException) as caught:
        node.frame.toArrow()
    assert to_runtime_error(caught.value).message == "Reading the test failed: ValueError: the split is broken"


def test_each_session_of_a_process_reads_and_writes(spark: SparkSession, tmp_path: Path) -> None:
    for session in (spark, spark.newSession(), spark):
        with SparkTableEnvironment.create(session, Configuration({"table.dml-sync": "true"})) as env:
            env.execute_sql(
                f"CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 't'}', 'format' = 'json')"
            )
            env.execute_sql("INSERT INTO t VALUES (1)").wait()
            found = env.execute_sql("SELECT COUNT(a) FROM t").to_arrow().column(0).to_pylist()
    assert found == [3]


class Counted(Numbers):
    """Counts in this process how often it is closed."""

    closed = 0

    def close(self) -> None:
        Counted.closed += 1


def test_what_a_scan_opened_is_closed_with_the_snapshots_of_the_job(spark: SparkSession) -> None:
    context = LoweringContext(spark, Configuration())
    read_provider(Counted(), SCHEMA, "the table 't'", context)
    assert Counted.closed == 0
    context.snapshots.close()
    context.snapshots.close()
    assert Counted.closed == 1
