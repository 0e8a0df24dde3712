"""Decodes partition values, which Spark reads as text from folder names."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.types import BinaryStringType, LocalZonedTimestampType, LogicalType, VarCharType
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.names import bind
from table_planner_spark.expressions.temporal_encoding import native_to_nanos, truncate_native
from table_planner_spark.expressions.text_parse import finer_digits


def decode_partition(text: str, type_: LogicalType) -> str:
    """Returns Spark SQL for the value that a folder name's text represents."""
    match type_:
        case BinaryStringType():
            return f"to_binary({text}, 'base64')"
        case LocalZonedTimestampType():
            # The text is in UTC, with or without a trailing Z.
            native = bind(f"trim(TRAILING 'Z' FROM {text})", lambda x: f"CAST(concat({x}, 'Z') AS TIMESTAMP_LTZ)")
            if has_nanosecond_encoding(type_):
                return f"({native_to_nanos(native, type_)} + {finer_digits(text, type_)})"
            return truncate_native(native, type_)
        case _:
            return to_spark_cast(text, VarCharType(), type_)
