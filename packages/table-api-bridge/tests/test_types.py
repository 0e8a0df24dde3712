"""SQL types as Spark types and back."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from table_api_bridge import from_spark_schema, from_spark_type, to_spark_schema, to_spark_type
from table_api_bridge.spark_internals import has_time_type, time_type
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableException
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
    ZonedTimestampType,
)

TYPES: list[tuple[LogicalType, spark.DataType]] = [
    (BooleanType(), spark.BooleanType()),
    (TinyIntType(), spark.ByteType()),
    (SmallIntType(), spark.ShortType()),
    (IntType(), spark.IntegerType()),
    (BigIntType(), spark.LongType()),
    (FloatType(), spark.FloatType()),
    (DoubleType(), spark.DoubleType()),
    (DecimalType(38, 18), spark.DecimalType(38, 18)),
    (CharType(3), spark.StringType()),
    (VarCharType(5), spark.StringType()),
    (VarCharType(), spark.StringType()),
    (BinaryType(4), spark.BinaryType()),
    (VarBinaryType(), spark.BinaryType()),
    (DateType(), spark.DateType()),
    *([(TimeType(0), time_type(0)), (TimeType(9), spark.LongType())] if has_time_type() else []),
    (TimestampType(3), spark.TimestampNTZType()),
    (TimestampType(9), spark.LongType()),
    (LocalZonedTimestampType(6), spark.TimestampType()),
    (LocalZonedTimestampType(7), spark.LongType()),
    (DayTimeIntervalType(), spark.DayTimeIntervalType()),
    (YearMonthIntervalType(), spark.YearMonthIntervalType()),
    (ArrayType(IntType(nullable=False)), spark.ArrayType(spark.IntegerType(), False)),
    (MapType(VarCharType(nullable=False), IntType()), spark.MapType(spark.StringType(), spark.IntegerType(), True)),
    (MultisetType(VarCharType()), spark.MapType(spark.StringType(), spark.IntegerType(), False)),
    (RowType.of([("a", IntType(nullable=False))]), spark.StructType([spark.StructField("a", spark.IntegerType(), False)])),
    (NullType(), spark.NullType()),
]


@pytest.mark.parametrize(("type_", "expected"), TYPES, ids=lambda t: str(t))
def test_a_sql_type_has_its_spark_type(type_: LogicalType, expected: spark.DataType) -> None:
    assert to_spark_type(type_) == expected


@pytest.mark.parametrize("type_", [type_ for type_, _ in TYPES], ids=str)
@pytest.mark.parametrize("nullable", [True, False])
def test_a_schema_survives_the_round_trip_through_spark(type_: LogicalType, nullable: bool) -> None:
    schema = ResolvedSchema.physical([("c", type_.with_nullability(nullable))])
    assert from_spark_schema(to_spark_schema(schema)) == schema


def test_metadata_that_does_not_match_the_spark_type_is_ignored() -> None:
    (field,) = to_spark_schema(ResolvedSchema.physical([("c", CharType(3))])).fields
    changed = spark.StructType([spark.StructField("c", spark.IntegerType(), True, field.metadata)])
    assert from_spark_schema(changed).column_types == (IntType(),)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (spark.StringType(), VarCharType()),
        (spark.VarcharType(7), VarCharType(7)),
        (spark.CharType(7), CharType(7)),
        (spark.TimestampType(), LocalZonedTimestampType(6)),
        (spark.TimestampNTZType(), TimestampType(6)),
        (spark.YearMonthIntervalType(0, 0), YearMonthIntervalType(year_precision=4)),
    ],
)
def test_a_spark_type_without_metadata_has_the_widest_sql_type(type_: spark.DataType, expected: LogicalType) -> None:
    assert from_spark_type(type_) == expected


@pytest.mark.parametrize("type_", [spark.CalendarIntervalType(), spark.StringType("UNICODE_CI")])
def test_a_spark_type_that_sql_does_not_have_is_refused(type_: spark.DataType) -> None:
    with pytest.raises(TableException, match="has no SQL type"):
        from_spark_type(type_)


@pytest.mark.skipif(has_time_type(), reason="this Spark has the type TIME")
@pytest.mark.parametrize("precision", [0, 6, 9])
def test_time_is_refused_by_a_spark_without_it(precision: int) -> None:
    with pytest.raises(TableException, match=r"Spark 4\.0\.\d+ has no type TIME"):
        to_spark_type(TimeType(precision))


def test_a_timestamp_with_a_zone_is_refused_with_a_hint() -> None:
    with pytest.raises(TableException, match="TIMESTAMP_LTZ"):
        to_spark_type(ZonedTimestampType(3))
