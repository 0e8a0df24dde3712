"""Checks the columns of Parquet files: Spark's reader returns NULL for a column that a file lacks, and matches names regardless of case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_planner_spark.scan.file_listing import FileListing
from table_runtime.files import Snapshots
from table_runtime.formats import require_columns

__all__ = ["has_names_of_other_case", "require_parquet_columns"]


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
