"""Values inside CSV and JSON files: read as text and decoded here, written as text encoded here, the way Flink's formats do."""

from __future__ import annotations

from pyspark.sql import types as spark

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    VarCharType,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.names import bind, quote_name, quote_text, to_type_sql
from table_planner_spark.expressions.temporal_encoding import nanos_to_native, native_to_nanos, truncate_native
from table_planner_spark.expressions.text_format import to_text

__all__ = ["decode_leaf", "decode_tree", "encode_leaf", "text_tree"]

_STRING = VarCharType()


def decode_leaf(text: str, type_: LogicalType, *, lenient: bool, iso: bool = False) -> str:
    """Returns the value that a piece of text stands for."""
    match type_:
        case CharacterType():
            return to_spark_cast(text, _STRING, type_)
        case BinaryStringType():
            return f"{'try_to_binary' if lenient else 'to_binary'}({text}, 'base64')"
        case LocalZonedTimestampType():
            # The text is in UTC, said by its Z; without one it is taken for UTC too.
            cast = "try_cast" if lenient else "CAST"
            native = bind(f"trim(TRAILING 'Z' FROM {text})", lambda x: f"{cast}(concat({x}, 'Z') AS TIMESTAMP_LTZ)")
            return native_to_nanos(native, type_) if has_nanosecond_encoding(type_) else truncate_native(native, type_)
        case TimestampType() if iso:
            return to_spark_cast(f"replace({text}, 'T', ' ')", _STRING, type_, lenient=lenient)
        case _:
            return to_spark_cast(text, _STRING, type_, lenient=lenient)


def text_tree(type_: LogicalType) -> spark.DataType:
    """Returns the Spark type with which JSON is read: the same nesting, with text at all leaves."""
    match type_:
        case ArrayType():
            return spark.ArrayType(text_tree(type_.element_type))
        case MapType():
            return spark.MapType(spark.StringType(), text_tree(type_.value_type))
        case MultisetType():
            return spark.MapType(spark.StringType(), spark.StringType())
        case RowType() | StructuredType():
            return spark.StructType([spark.StructField(f.name, text_tree(f.type)) for f in type_.fields])
        case _:
            return spark.StringType()


def decode_tree(text: str, type_: LogicalType, *, lenient: bool, iso: bool, depth: int = 0) -> str:
    """Returns the value of nested text as ``text_tree`` reads it."""
    item = f"__leaf{depth}"
    match type_:
        case ArrayType():
            element = decode_tree(item, type_.element_type, lenient=lenient, iso=iso, depth=depth + 1)
            return f"transform({text}, {item} -> {element})"
        case MapType() | MultisetType():
            key_type, value_type = (type_.key_type, type_.value_type) if isinstance(type_, MapType) else (type_.element_type, None)
            key = decode_tree(f"{item}.key", key_type, lenient=lenient, iso=iso, depth=depth + 1)
            value = (
                f"CAST({item}.value AS INT)"
                if value_type is None
                else decode_tree(f"{item}.value", value_type, lenient=lenient, iso=iso, depth=depth + 1)
            )
            return f"map_from_entries(transform(map_entries({text}), {item} -> struct({key}, {value})))"
        case RowType() | StructuredType():

            def build(row: str) -> str:
                cells = []
                for field in type_.fields:
                    value = decode_tree(f"{row}.{quote_name(field.name)}", field.type, lenient=lenient, iso=iso, depth=depth + 1)
                    cells += [quote_text(field.name), value]
                return f"if({row} IS NULL, CAST(NULL AS {to_type_sql(type_)}), named_struct({', '.join(cells)}))"

            return bind(text, build)
        case _:
            return decode_leaf(text, type_, lenient=lenient, iso=iso)


def encode_leaf(text: str, type_: LogicalType, *, iso: bool = False) -> str:
    """Returns the text that a value is written as."""
    match type_:
        case CharacterType():
            return text
        case BooleanType():
            return f"CAST({text} AS STRING)"
        case BinaryStringType():
            return f"base64({text})"
        case LocalZonedTimestampType():
            native = nanos_to_native(text, type_) if has_nanosecond_encoding(type_) else text
            utc = f"CAST(convert_timezone('UTC', CAST({native} AS TIMESTAMP_NTZ)) AS STRING)"
            return f"concat({_separated(utc, iso)}, 'Z')"
        case TimestampType():
            plain = to_text(text, type_) if has_nanosecond_encoding(type_) else f"CAST({text} AS STRING)"
            return _separated(plain, iso)
        case ArrayType() | MapType() | MultisetType() | RowType() | StructuredType():
            raise TableException(f"A value of type {type_} cannot be written as one piece of text.")
        case _:
            return to_text(text, type_)


def _separated(text: str, iso: bool) -> str:
    return f"replace({text}, ' ', 'T')" if iso else text
