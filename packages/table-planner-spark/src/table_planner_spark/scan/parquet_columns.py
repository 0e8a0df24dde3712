"""Checks the columns of Parquet files: Spark's reader returns NULL for a column that a file lacks, and matches names regardless of case.

It also returns timestamps with more digits than the column that is declared, and reads some types as others without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding, to_spark_type
from table_common.arrow import to_arrow_type
from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    DistinctType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    PrecisionTimeType,
    RowType,
    StructuredType,
    TimestampType,
    types_in,
    without_required_parts,
)
from table_planner_spark.scan.file_listing import FileListing
from table_runtime.files import Snapshots
from table_runtime.formats import require_columns

Files = Mapping[pa.Schema, Sequence[Path]]
"""The distinct schemas of files, each with its files."""
_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def require_parquet_columns(provider: FileScanProvider, names: Sequence[str], spark: SparkSession, snapshots: Snapshots) -> None:
    """Checks that the files have the columns that are read. For remote files Spark returns the schema of one file.

    Raises:
        ValidationException: a file lacks one, or one on a remote file system has a type that Spark would read as another without an error.
    """
    wanted = RowType(tuple(field for field in provider.physical_type.fields if field.name in names), nullable=False)
    files = _files(provider, snapshots)
    if files is None:
        schema = spark.read.format("parquet").load(list(provider.paths)).schema
        require_columns(wanted, schema, f"the Parquet files at '{provider.paths[0]}'", _spark_parts)
        for field in wanted.fields:
            found = schema[field.name].dataType
            if not _is_read_as(found, to_spark_type(without_required_parts(field.type))):
                raise ValidationException(
                    f"Column '{field.name}' of the Parquet files at '{provider.paths[0]}' is declared as {field.type}, but its data has the type "
                    f"{found.simpleString()} of Spark.",
                    hint="Declare the type of the data, and cast it in the query.",
                )
        return
    for schema, (file, *_) in files.items():
        require_columns(wanted, schema, f"the Parquet file '{file}'")


def files_by_schema(provider: FileScanProvider) -> Files | None:
    """Returns the files as they are now; None if they are not on this machine."""
    snapshots = Snapshots()
    try:
        return _files(provider, snapshots)
    finally:
        snapshots.close()


def has_names_of_other_case(provider: FileScanProvider, files: Files | None) -> bool:
    """Returns whether a file lacks a column but has one whose name differs only in case, which Spark's reader would use instead."""
    names = provider.physical_type.field_names
    for schema in files or ():
        folded = {name.lower() for name in schema.names}
        if any(name not in schema.names and name.lower() in folded for name in names):
            return True
    return False


def has_other_types(provider: FileScanProvider, files: Files | None) -> bool:
    """Returns whether a file has a column in a type that Spark's reader does not read as ours does.

    Spark's reader makes timestamps of dates, doubles of whole numbers, text of any bytes, and local times of UTC times; ours refuses them. It refuses
    whole numbers of more bytes than the declared type, which ours reads if the values fit.
    """
    types = _types_read(provider)
    return any(
        not _is_alike(schema.field(name).type, type_, of_schema)
        for schema, of_schema in (files or {}).items()
        for name, type_ in types.items()
        if name in schema.names
    )


def _types_read(provider: FileScanProvider) -> dict[str, LogicalType]:
    """Returns the declared types of the columns that are read, also of those of which only fields are."""
    names = {*provider.produced_type.field_names, *(path[0] for path in provider.nested.values())}
    return {field.name: field.type for field in provider.physical_type.fields if field.name in names}


def _is_alike(found: pa.DataType, type_: LogicalType, files: Sequence[Path]) -> bool:
    """Returns whether both readers give equal values of a type that the files have; units of time are checked on their own."""
    found = found.value_type if pa.types.is_dictionary(found) else found
    match type_:
        case ArrayType(element_type=element):
            return (pa.types.is_list(found) or pa.types.is_large_list(found)) and _is_alike(found.value_type, element, files)
        case MapType() | MultisetType():
            value = type_.value_type if isinstance(type_, MapType) else IntType()
            key = type_.key_type if isinstance(type_, MapType) else type_.element_type
            is_map = pa.types.is_map(found)
            return is_map and _is_alike(found.key_type, key, files) and _is_alike(found.item_type, value, files)
        case RowType(fields=fields) | StructuredType(fields=fields):
            parts = {part.name: part.type for part in found} if pa.types.is_struct(found) else None
            return parts is not None and all(_is_alike(parts[field.name], field.type, files) for field in fields if field.name in parts)
        case DistinctType(source_type=source):
            return _is_alike(found, source, files)
    target = to_arrow_type(type_)
    if pa.types.is_timestamp(target):
        return pa.types.is_timestamp(found) and (
            (found.tz is None) == (target.tz is None)
            or (found == pa.timestamp("ns") and not any(map(_has_integer_nanos, files)))  # INT96, of which Spark makes both
        )
    if pa.types.is_time(target):
        return bool(pa.types.is_time(found))
    if pa.types.is_signed_integer(target) and isinstance(type_, EXACT_INTEGERS):
        return bool(pa.types.is_signed_integer(found) and found.bit_width <= target.bit_width)
    if isinstance(type_, DoubleType):
        return found in (pa.float32(), pa.float64())
    if pa.types.is_string(target):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    if pa.types.is_binary(target):
        return bool(pa.types.is_binary(found) or pa.types.is_large_binary(found) or pa.types.is_fixed_size_binary(found))
    return bool(found == target)


def has_times_unknown_to_spark(provider: FileScanProvider, files: Files | None) -> bool:
    """Returns whether Spark's reader may take other units for nanoseconds, or not know the unit of times in a file."""
    types = {name: set(types_in(type_)) for name, type_ in _types_read(provider).items()}
    times = {name: inner for name, inner in types.items() if any(isinstance(type_, PrecisionTimeType) for type_ in inner)}
    if files is None:
        return any(has_nanosecond_encoding(type_) for inner in times.values() for type_ in inner)
    pairs = [(inner, schema.field(name).type) for schema in files for name, inner in times.items() if name in schema.names]
    for inner, found in pairs:
        digits, of_day = set(_digits_in(found, pa.types.is_timestamp)), set(_digits_in(found, pa.types.is_time))
        if (digits and min(digits) < 9 and any(map(has_nanosecond_encoding, inner))) or (of_day and min(of_day) < 6):
            return True
    is_fine = any(9 in _digits_in(found, pa.types.is_timestamp) and not all(map(_has_nanos, inner)) for inner, found in pairs)
    return is_fine and any(_has_integer_nanos(file) for of_schema in files.values() for file in of_schema)


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


def _files(provider: FileScanProvider, snapshots: Snapshots) -> Files | None:
    """Returns the files; None if they are not on this machine."""
    found: dict[pa.Schema, list[Path]] = {}
    try:
        files = FileListing(provider, snapshots).files
        if files is None:
            return None
        for file in files:
            schema = _schema(file)
            if schema is not None:
                found.setdefault(schema, []).append(file)
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


def _is_read_as(found: spark_types.DataType, wanted: spark_types.DataType) -> bool:
    """Returns whether Spark reads a type as another one with equal values, or refuses to."""
    parts, wanted_parts = _spark_parts(found), _spark_parts(wanted)
    if parts is not None and wanted_parts is not None:
        return type(found) is type(wanted) and all(_is_read_as(parts[name], part) for name, part in wanted_parts.items() if name in parts)
    for same in (spark_types.IntegralType, spark_types.DecimalType):
        if isinstance(found, same) and isinstance(wanted, same):
            return True
    return type(found) is type(wanted) or (isinstance(found, spark_types.FloatType) and isinstance(wanted, spark_types.DoubleType))


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
