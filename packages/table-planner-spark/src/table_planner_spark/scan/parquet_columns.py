"""Checks the columns of Parquet files: Spark's reader returns NULL for a column that a file lacks, and matches names regardless of case.

It also returns timestamps with more digits than the column that is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding
from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import LocalZonedTimestampType, LogicalType, PrecisionTimeType, RowType, TimestampType, types_in
from table_planner_spark.scan.file_listing import FileListing
from table_runtime.files import Snapshots
from table_runtime.formats import require_columns

_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def require_parquet_columns(provider: FileScanProvider, names: Sequence[str], spark: SparkSession, snapshots: Snapshots) -> None:
    """Checks that the files have the columns that are read. For remote files Spark returns the schema of one file.

    Raises:
        ValidationException: a file lacks one.
    """
    wanted = RowType(tuple(field for field in provider.physical_type.fields if field.name in names), nullable=False)
    files = _files(provider, snapshots)
    if files is None:
        schema = spark.read.format("parquet").load(list(provider.paths)).schema
        require_columns(wanted, schema, f"the Parquet files at '{provider.paths[0]}'", _spark_parts)
        return
    for schema, file in files.items():
        require_columns(wanted, schema, f"the Parquet file '{file}'")


def has_names_of_other_case(provider: FileScanProvider) -> bool:
    """Returns whether a file lacks a column but has one whose name differs only in case, which Spark's reader would use instead."""
    names = provider.physical_type.field_names
    snapshots = Snapshots()
    try:
        for schema in _files(provider, snapshots) or ():
            folded = {name.lower() for name in schema.names}
            if any(name not in schema.names and name.lower() in folded for name in names):
                return True
        return False
    finally:
        snapshots.close()


def has_times_unknown_to_spark(provider: FileScanProvider) -> bool:
    """Returns whether Spark's reader may take other units for nanoseconds, or not know the unit of times in a file."""
    names = {*provider.produced_type.field_names, *(path[0] for path in provider.nested.values())}
    types = {field.name: set(types_in(field.type)) for field in provider.physical_type.fields if field.name in names}
    times = {name: inner for name, inner in types.items() if any(isinstance(type_, PrecisionTimeType) for type_ in inner)}
    if not times:
        return False
    snapshots = Snapshots()
    try:
        files = _files(provider, snapshots)
        pairs = [(inner, schema.field(name).type) for schema in files or () for name, inner in times.items() if name in schema.names]
        if files is None:
            return any(has_nanosecond_encoding(type_) for inner in times.values() for type_ in inner)
        for inner, found in pairs:
            digits, of_day = set(_digits_in(found, pa.types.is_timestamp)), set(_digits_in(found, pa.types.is_time))
            if (digits and min(digits) < 9 and any(map(has_nanosecond_encoding, inner))) or (of_day and min(of_day) < 6):
                return True
        is_fine = any(9 in _digits_in(found, pa.types.is_timestamp) and not all(map(_has_nanos, inner)) for inner, found in pairs)
        return is_fine and any(_has_integer_nanos(file) for file in FileListing(provider, snapshots).files or ())
    finally:
        snapshots.close()


def _has_nanos(type_: LogicalType) -> bool:
    return has_nanosecond_encoding(type_) or not isinstance(type_, (TimestampType, LocalZonedTimestampType))


def _has_integer_nanos(file: Path) -> bool:
    """Returns whether a file has timestamps that are integers of nanoseconds, and not the older INT96."""
    from pyarrow.parquet import read_metadata

    try:
        schema = read_metadata(file).schema
    except (pa.ArrowException, OSError):  # the reader of the file reports the error
        return False
    columns = (schema.column(number) for number in range(len(schema)))
    return any(column.physical_type == "INT64" and "timeUnit=nanoseconds" in str(column.logical_type) for column in columns)


def columns_with_finer_times(provider: FileScanProvider, names: Sequence[str], snapshots: Snapshots) -> set[str]:
    """Returns those of some columns whose timestamps may have more digits in a file than in their declared type, at any depth."""
    types = {field.name: field.type for field in provider.physical_type.fields}
    least = {name: digits for name in names if (digits := _least_precision(types[name])) is not None}
    files = _files(provider, snapshots) if least else {}
    if files is None:
        return set(least)
    return {
        name
        for schema in files
        for name, digits in least.items()
        if name in schema.names and max(_digits_in(schema.field(name).type, pa.types.is_timestamp), default=-1) > digits
    }


def _least_precision(type_: LogicalType) -> int | None:
    """Returns the least precision of the timestamps in a type that is less than that of Spark's encoding of it."""
    timestamps = [inner for inner in types_in(type_) if isinstance(inner, (TimestampType, LocalZonedTimestampType))]
    return min((inner.precision for inner in timestamps if inner.precision not in (MAX_NATIVE_PRECISION, 9)), default=None)


def _digits_in(found: pa.DataType, is_meant: Callable[[pa.DataType], bool]) -> Iterator[int]:
    """Yields the digits of seconds of the times of one kind in a type."""
    if is_meant(found):
        yield _UNIT_DIGITS[found.unit]
    for number in range(found.num_fields):
        yield from _digits_in(found.field(number).type, is_meant)


def _files(provider: FileScanProvider, snapshots: Snapshots) -> dict[pa.Schema, Path] | None:
    """Returns the distinct schemas of the files, each with one file; None if the files are not on this machine."""
    found: dict[pa.Schema, Path] = {}
    try:
        files = FileListing(provider, snapshots).files
        if files is None:
            return None
        for file in files:
            schema = _schema(file)
            if schema is not None:
                found.setdefault(schema, file)
    except (TableRuntimeException, OSError):  # the reader of the files reports the error
        return {}
    return found


def _schema(file: Path) -> pa.Schema | None:
    state = file.stat()
    return _schema_at(str(file), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16_384)
def _schema_at(path: str, modified: int, size: int) -> pa.Schema | None:
    from pyarrow.parquet import read_schema

    try:
        return _shared(read_schema(path).remove_metadata())
    except (pa.ArrowException, OSError):  # Spark reports the error
        return None


@lru_cache(maxsize=1024)
def _shared(schema: pa.Schema) -> pa.Schema:
    """Returns the same object for all equal schemas: most files of a table share one."""
    return schema


def _spark_parts(found: Any) -> Mapping[str, Any] | None:
    match found:
        case spark_types.StructType():
            return {field.name: field.dataType for field in found.fields}
        case spark_types.ArrayType():
            return {"element": found.elementType}
        case spark_types.MapType():
            return {"key": found.keyType, "value": found.valueType}
        case _:
            return None
