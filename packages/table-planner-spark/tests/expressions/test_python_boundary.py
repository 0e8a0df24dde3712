"""Values between Spark and Arrow: types that cannot pass are replaced by types that can."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql.types import StructField, StructType

from table_api_bridge import to_spark_type
from table_common.types import (
    ArrayType,
    IntType,
    LogicalType,
    MapType,
    RowType,
    TimestampType,
    TimeType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.python_boundary import decode_sql, encode_sql, from_transport, to_transport, transport_type

MONTHS = YearMonthIntervalType()


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (MONTHS, IntType()),
        (VariantType(nullable=False), VarCharType(nullable=False)),
        (TimeType(0), TimeType(6)),
        (TimeType(9), TimeType(9)),
        (ArrayType(MONTHS), ArrayType(IntType())),
        (MapType(VarCharType(), MONTHS), MapType(VarCharType(), IntType())),
        (RowType.of([("f", MONTHS)]), RowType.of([("f", IntType())])),
        (IntType(), IntType()),
    ],
)
def test_a_type_that_cannot_pass_is_replaced_at_any_depth(type_: LogicalType, expected: LogicalType) -> None:
    assert transport_type(type_) == expected


def test_a_value_that_can_pass_is_not_converted() -> None:
    assert encode_sql("`a`", IntType()) == decode_sql("`a`", IntType()) == "`a`"


def test_a_row_is_cast_so_that_all_its_fields_are_nullable() -> None:
    assert encode_sql("`a`", RowType.of([("f", IntType(nullable=False))])).startswith("CAST(`a` AS STRUCT<")


def _batch(type_: LogicalType, column: pa.Array) -> pa.RecordBatch:
    row_type = RowType.of([("a", type_)])
    return from_transport(pa.record_batch([column], names=["anything"]), row_type)


def test_nanoseconds_become_timestamps_of_arrow() -> None:
    batch = _batch(TimestampType(9), pa.array([1, None], pa.int64()))
    assert batch.schema.names == ["a"]
    assert batch.column(0).type == pa.timestamp("ns")
    assert batch.column(0).cast(pa.int64()).to_pylist() == [1, None]


def test_nanoseconds_within_arrays_become_timestamps_too() -> None:
    batch = _batch(ArrayType(TimestampType(9)), pa.array([[1], None], pa.list_(pa.int64())))
    assert batch.column(0).type.value_type == pa.timestamp("ns")


def test_a_batch_on_its_way_to_spark_has_the_types_that_spark_expects() -> None:
    row_type = RowType.of([("t", TimestampType(9)), ("s", VarCharType())])
    schema = StructType([StructField(f.name, to_spark_type(transport_type(f.type))) for f in row_type.fields])
    batch = pa.record_batch([pa.array([5], pa.timestamp("ns")), pa.array(["x"], pa.large_string())], names=["t", "s"])
    sent = to_transport(batch, row_type, schema)
    assert [sent.column("t").type, sent.column("s").type] == [pa.int64(), pa.string()]
    assert sent.to_pylist() == [{"t": 5, "s": "x"}]
