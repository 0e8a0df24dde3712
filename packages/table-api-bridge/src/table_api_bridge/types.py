"""Conversion between SQL types and Spark types.

Spark has no equivalent for lengths, some precisions, TIME and TIMESTAMP beyond microseconds, and MULTISET. Each of these has an encoding as another
Spark type, and the metadata of a field keeps the SQL type, so that a schema survives the round trip through Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pyspark.sql import types as spark

from table_api_bridge.spark_internals import has_time_type, is_time_type, time_type
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableError, TableException
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryStringType,
    BitmapType,
    BooleanType,
    CharacterType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowField,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    ZonedTimestampType,
    parse_logical_type,
    quote_identifier,
)

LOGICAL_TYPE_KEY = "table.logical-type"
"""The key in a field's metadata that holds the SQL text of its type."""

MAX_NATIVE_PRECISION = 6
"""The maximum fractional-second precision of Spark's types."""


def has_nanosecond_encoding(type_: LogicalType) -> bool:
    """Returns whether values of the type are BIGINT nanoseconds in Spark: since the epoch, or for TIME since midnight."""
    return isinstance(type_, (TimeType, TimestampType, LocalZonedTimestampType)) and type_.precision > MAX_NATIVE_PRECISION


_SIMPLE: dict[type[LogicalType], Callable[[], spark.DataType]] = {
    BooleanType: spark.BooleanType,
    TinyIntType: spark.ByteType,
    SmallIntType: spark.ShortType,
    IntType: spark.IntegerType,
    BigIntType: spark.LongType,
    FloatType: spark.FloatType,
    DoubleType: spark.DoubleType,
    DateType: spark.DateType,
    NullType: spark.NullType,
    VariantType: spark.VariantType,
    RawType: spark.BinaryType,
    BitmapType: spark.BinaryType,
}


def to_spark_type(type_: LogicalType) -> spark.DataType:
    """Returns the Spark type that holds values of a SQL type; nullability of nested types is kept.

    Raises:
        TableException: Spark has no type for it and there is no encoding.
    """
    simple = _SIMPLE.get(type(type_))
    if simple is not None:
        return simple()
    match type_:
        case CharacterType():
            return spark.StringType()
        case BinaryStringType():
            return spark.BinaryType()
        case DecimalType():
            return spark.DecimalType(type_.precision, type_.scale)
        case TimeType() if not has_time_type():
            return time_type(type_.precision)
        case TimeType() | TimestampType() | LocalZonedTimestampType() if has_nanosecond_encoding(type_):
            return spark.LongType()
        case TimestampType():
            return spark.TimestampNTZType()
        case LocalZonedTimestampType():
            return spark.TimestampType()
        case TimeType():
            return time_type(type_.precision)
        case DayTimeIntervalType():
            return spark.DayTimeIntervalType()
        case YearMonthIntervalType():
            return spark.YearMonthIntervalType()
        case ArrayType():
            return spark.ArrayType(to_spark_type(type_.element_type), type_.element_type.nullable)
        case MapType():
            return spark.MapType(to_spark_type(type_.key_type), to_spark_type(type_.value_type), type_.value_type.nullable)
        case MultisetType():
            return spark.MapType(to_spark_type(type_.element_type), spark.IntegerType(), False)
        case RowType() | StructuredType():
            return spark.StructType([spark.StructField(f.name, to_spark_type(f.type), f.type.nullable) for f in type_.fields])
        case DistinctType():
            return to_spark_type(type_.source_type)
        case ZonedTimestampType():
            raise TableException(
                f"{type_} cannot be used in a query.",
                hint="CAST it to TIMESTAMP_LTZ, which is an instant without the zone it was written in.",
            )
        case _:
            raise TableException(f"Spark has no type for {type_}.")


_FROM_SIMPLE: dict[type[spark.DataType], LogicalType] = {
    spark.BooleanType: BooleanType(),
    spark.ByteType: TinyIntType(),
    spark.ShortType: SmallIntType(),
    spark.IntegerType: IntType(),
    spark.LongType: BigIntType(),
    spark.FloatType: FloatType(),
    spark.DoubleType: DoubleType(),
    spark.BinaryType: VarBinaryType(),
    spark.DateType: DateType(),
    spark.TimestampType: LocalZonedTimestampType(6),
    spark.TimestampNTZType: TimestampType(6),
    spark.DayTimeIntervalType: DayTimeIntervalType(day_precision=6, fractional_precision=6),
    spark.YearMonthIntervalType: YearMonthIntervalType(year_precision=4),
    spark.NullType: NullType(),
    spark.VariantType: VariantType(),
}


def from_spark_type(type_: spark.DataType, nullable: bool = True) -> LogicalType:
    """Returns the SQL type whose values a Spark type holds; without metadata, a string is STRING and a map is MAP.

    Raises:
        TableException: SQL of ours has no such type (calendar intervals, geometry, collated strings, user-defined types).
    """
    simple = _FROM_SIMPLE.get(type(type_))
    if simple is not None:
        return simple.with_nullability(nullable)
    match type_:
        case spark.CharType():
            return CharType(type_.length, nullable=nullable)
        case spark.VarcharType():
            return VarCharType(type_.length, nullable=nullable)
        case spark.StringType() if type_.collation == "UTF8_BINARY":
            return VarCharType(nullable=nullable)
        case spark.DecimalType():
            return DecimalType(type_.precision, type_.scale, nullable=nullable)
        case _ if is_time_type(type_):
            return TimeType(cast("Any", type_).precision, nullable=nullable)
        case spark.ArrayType():
            return ArrayType(from_spark_type(type_.elementType, type_.containsNull), nullable=nullable)
        case spark.MapType():
            return MapType(
                from_spark_type(type_.keyType, False), from_spark_type(type_.valueType, type_.valueContainsNull), nullable=nullable
            )
        case spark.StructType():
            return RowType(tuple(RowField(f.name, _from_field(f)) for f in type_.fields), nullable=nullable)
        case _:
            raise TableException(
                f"The Spark type {type_.simpleString()} has no SQL type here.", hint="Cast or drop the column in the DataFrame first."
            )


def logical_type_metadata(type_: LogicalType) -> dict[str, Any]:
    """Returns the field metadata that stores a SQL type with a column of a DataFrame."""
    return {LOGICAL_TYPE_KEY: type_.serializable()}


def to_spark_schema(schema: ResolvedSchema) -> spark.StructType:
    """Returns the Spark schema of the columns; the metadata of each field stores its SQL type.

    Raises:
        TableException: Spark has no type for a column and there is no encoding.
    """
    return spark.StructType(
        [
            spark.StructField(
                column.name, to_spark_type(column.data_type), column.data_type.nullable, logical_type_metadata(column.data_type)
            )
            for column in schema.columns
        ]
    )


def from_spark_schema(schema: spark.StructType) -> ResolvedSchema:
    """Returns the columns of a Spark schema, with the SQL types in the metadata where these match the Spark types.

    Raises:
        TableException: a Spark type has no SQL type.
    """
    return ResolvedSchema.physical((field.name, _from_field(field)) for field in schema.fields)


def _from_field(field: spark.StructField) -> LogicalType:
    type_text = (field.metadata or {}).get(LOGICAL_TYPE_KEY)
    if isinstance(type_text, str):
        try:
            type_ = parse_logical_type(type_text)
        except TableError:  # written by another version: use the Spark type
            return from_spark_type(field.dataType, field.nullable)
        # The metadata may be outdated: a cast in Spark changes the type and keeps the metadata.
        if _shape(to_spark_type(type_)) == _shape(field.dataType):
            return type_.with_nullability(field.nullable)
    return from_spark_type(field.dataType, field.nullable)


def _shape(type_: spark.DataType) -> str:
    return type_.simpleString()


def spark_type_sql(type_: spark.DataType) -> str:
    """Returns a Spark type as Spark SQL text; names of fields are quoted."""
    match type_:
        case spark.ArrayType():
            return f"ARRAY<{spark_type_sql(type_.elementType)}>"
        case spark.MapType():
            return f"MAP<{spark_type_sql(type_.keyType)}, {spark_type_sql(type_.valueType)}>"
        case spark.StructType():
            return f"STRUCT<{', '.join(f'{quote_identifier(f.name)}: {spark_type_sql(f.dataType)}' for f in type_.fields)}>"
        case spark.TimestampType():
            return "TIMESTAMP_LTZ"
        case spark.NullType():
            return "VOID"
        case _:
            return type_.simpleString().upper()
