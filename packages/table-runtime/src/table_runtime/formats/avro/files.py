"""Avro's container files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.avro.container import ContainerReader, ContainerWriter
from table_runtime.formats.avro.inference import row_of_record
from table_runtime.formats.avro.options import CODEC, LEGACY_TIMESTAMPS
from table_runtime.formats.avro.records import RecordReader, RecordWriter, require_fields
from table_runtime.formats.avro.schema import record_schema
from table_runtime.formats.avro.schema_check import reason_of
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask

_T = TypeVar("_T")
BLOCK_RECORDS = 16_384


class AvroFileFormat(FileFormat):
    """Container files. Each file contains its schema; fields are matched to columns by name."""

    extension = "avro"
    names_columns = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        where = f"The Avro file '{task.path}'"
        try:
            with task.path.open("rb") as file:
                container = ContainerReader(file, where)
                if not task.nulls_for_missing_columns:
                    _with_schema_errors(lambda: require_fields(task.wanted, container.schema, f"the Avro file '{task.path}'"), where)
                reader = _with_schema_errors(lambda: RecordReader(container.schema, task.wanted, where), where)
                for number, (count, data) in enumerate(container.blocks(), 1):
                    yield partial(_decode, reader, data, count, number, task, container)
        except OSError as error:
            raise TableRuntimeException(f"{where} cannot be read: {error}") from error

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        return _AvroWriter(path, row_type, ReadableConfig(options))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        where = f"The Avro file '{path}'"
        try:
            with path.open("rb") as file:
                container = ContainerReader(file, where)
                return _with_schema_errors(lambda: row_of_record(container.schema, where), where)
        except OSError as error:
            raise TableRuntimeException(f"{where} cannot be read: {error}") from error


def _with_schema_errors(make: Callable[[], _T], where: str) -> _T:
    """Returns the result of ``make``, which interprets a file's schema.

    Raises:
    TableRuntimeException: the schema is not valid.
    """
    try:
        return make()
    except ValidationException:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise TableRuntimeException(
            f"{where} has a schema that cannot be read as columns: a part of it is missing, or of a wrong type."
        ) from error


def _decode(reader: RecordReader, data: bytes, count: int, number: int, task: ReadTask, container: ContainerReader) -> pa.RecordBatch:
    try:
        return make_batch(reader.block(container.decompressed(data), count), task.schema, count)
    except TableRuntimeException:
        raise
    except Exception as error:
        raise TableRuntimeException(
            f"The Avro file '{task.path}', block {number}: its records do not have the file's schema, or are damaged: {reason_of(error)}."
        ) from error


class _AvroWriter(FileWriter):
    def __init__(self, path: Path, row_type: RowType, config: ReadableConfig) -> None:
        schema = record_schema(row_type, legacy_timestamps=config.get(LEGACY_TIMESTAMPS))
        self._records = RecordWriter(schema, row_type)
        self._file = path.open("wb")
        self._container = ContainerWriter(self._file, json.dumps(schema), config.get(CODEC), os.urandom(16))

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        for start in range(0, batch.num_rows, BLOCK_RECORDS):
            part = batch.slice(start, BLOCK_RECORDS)
            self._container.block(part.num_rows, b"".join(self._records.records(part).to_pylist()))

    @override
    def close(self) -> None:
        self._file.close()
