"""Converts values between Spark and Arrow, which cannot exchange all of Spark's types.

Year–month intervals are transported as INT months, VARIANT as JSON text, and TIME of lower precision as TIME(6). A TIMESTAMP beyond
microseconds, BIGINT in Spark, becomes a timestamp in Arrow.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql.types import StructField, StructType

from table_api_bridge import has_nanosecond_encoding, to_spark_type
from table_common.arrow import conform, to_arrow_type
from table_common.types import (
    ArrayType,
    DayTimeIntervalType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowField,
    RowType,
    StructuredType,
    TimeType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    without_required_parts,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.names import to_type_sql
from table_planner_spark.spark_internals import arrow_schema


def transport_fields(names: Iterable[str], types: Iterable[LogicalType]) -> list[StructField]:
    """Returns the fields in which rows come to Spark; parts of columns are nullable, because what is read may have NULL where NOT NULL is declared."""
    return [StructField(name, to_spark_type(without_required_parts(transport_type(one)))) for name, one in zip(names, types, strict=True)]


def transport_type(type_: LogicalType) -> LogicalType:
    """Returns the type in which values of ``type_`` are transported, for most types the same."""
    match type_:
        case YearMonthIntervalType():
            return IntType(nullable=type_.nullable)
        case VariantType():
            return VarCharType(nullable=type_.nullable)
        case TimeType() if not has_nanosecond_encoding(type_):  # PySpark reads every Arrow time as TIME(6)
            return TimeType(6, nullable=type_.nullable)
        case ArrayType():
            return ArrayType(transport_type(type_.element_type), nullable=type_.nullable)
        case MultisetType():
            return MultisetType(transport_type(type_.element_type), nullable=type_.nullable)
        case MapType():
            return MapType(transport_type(type_.key_type), transport_type(type_.value_type), nullable=type_.nullable)
        case RowType():
            return RowType(tuple(RowField(f.name, transport_type(f.type)) for f in type_.fields), nullable=type_.nullable)
        case StructuredType():
            return StructuredType(
                type_.class_name, tuple(RowField(f.name, transport_type(f.type)) for f in type_.fields), nullable=type_.nullable
            )
        case _:
            return type_


def encode_sql(text: str, type_: LogicalType) -> str:
    """Returns Spark SQL that converts a value to its transport type."""
    target = transport_type(type_)
    if target != type_:
        text = to_spark_cast(text, type_, target)
    # PySpark cannot convert a NULL row whose fields are NOT NULL; a cast makes nested fields nullable.
    return f"CAST({text} AS {to_type_sql(target)})" if _holds_row(target) else text


def _holds_row(type_: LogicalType) -> bool:
    match type_:
        case RowType() | StructuredType():
            return True
        case ArrayType() | MultisetType():
            return _holds_row(type_.element_type)
        case MapType():
            return _holds_row(type_.value_type)
        case _:
            return False


def decode_sql(text: str, type_: LogicalType) -> str:
    """Returns Spark SQL that converts a value from its transport type to ``type_``."""
    source = transport_type(type_)
    if source == type_:
        return text
    return f"CAST({to_spark_cast(text, source, type_)} AS {to_type_sql(type_)})"


def from_transport(table: pa.Table | pa.RecordBatch, row_type: RowType) -> pa.Table | pa.RecordBatch:
    """Returns a table or batch from Spark in the canonical schema of ``row_type``."""
    columns = []
    for index, field in enumerate(row_type.fields):
        column = table.column(index)
        decoded = _decoded_type(column.type, field.type)
        columns.append(column if decoded == column.type else column.cast(decoded))
    names = [str(position) for position in range(len(columns))]
    if not columns:
        return conform(table, row_type)
    return conform(type(table).from_arrays(columns, names=names), row_type, require_parts=False)  # as files are read


def _decoded_type(found: pa.DataType, type_: LogicalType) -> pa.DataType:
    """Returns the Arrow type with values that Spark encodes as BIGINT, at any depth, in their own types."""
    match type_:
        case ArrayType() if pa.types.is_list(found):
            return pa.list_(found.value_field.with_type(_decoded_type(found.value_type, type_.element_type)))
        case MapType() if pa.types.is_map(found):
            key, item = _decoded_type(found.key_type, type_.key_type), _decoded_type(found.item_type, type_.value_type)
            return pa.map_(found.key_field.with_type(key), found.item_field.with_type(item))
        case MultisetType() if pa.types.is_map(found):
            return pa.map_(found.key_field.with_type(_decoded_type(found.key_type, type_.element_type)), found.item_field)
        case RowType() | StructuredType() if pa.types.is_struct(found):
            inner = zip(found, type_.field_types, strict=True)
            return pa.struct([field.with_type(_decoded_type(field.type, field_type)) for field, field_type in inner])
        case _ if pa.types.is_int64(found) and has_nanosecond_encoding(type_):
            return to_arrow_type(type_)
        case DayTimeIntervalType() if pa.types.is_int64(found):  # as Parquet holds Spark's intervals
            return pa.duration("us")
        case _:
            return found


def transport_schema(schema: StructType) -> pa.Schema:
    """Returns the Arrow schema in which Spark expects batches for ``schema``."""
    return arrow_schema(schema)


def to_transport(batch: pa.RecordBatch, row_type: RowType, schema: StructType) -> pa.RecordBatch:
    """Returns a batch of ``row_type`` exactly as Spark expects it for ``schema``, which has transport types."""
    canonical = conform(batch, row_type, trust_schema=False)
    target = transport_schema(schema)
    columns = []
    for column, field in zip(canonical.columns, target, strict=True):
        if isinstance(column, pa.ExtensionArray):
            column = column.storage
        if pa.types.is_timestamp(column.type) and pa.types.is_int64(field.type):
            column = column.view(pa.int64())
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=target)
