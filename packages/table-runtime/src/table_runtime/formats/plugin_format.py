"""Adapter for file formats that plug-ins provide through a ``FileFormatFactory``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import conform_array, import_batch, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import FileFormatWriter, FileReadContext
from table_common.exceptions import TableError, TableRuntimeException
from table_common.factories import FileFormatFactory
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.file_columns import require_columns
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask

_T = TypeVar("_T")


class PluggedFileFormat(FileFormat):
    """Opens files, adds their names to errors, and converts the columns to the declared types."""

    names_columns = True

    def __init__(self, factory: FileFormatFactory) -> None:
        self._factory = factory

    @property
    def extension(self) -> str:  # type: ignore[override]  # known once the format is made
        return self._factory.create_file_format(ReadableConfig({})).extension

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        where = self._where(task.path)
        format_ = self._factory.create_file_format(ReadableConfig(task.options))
        done = object()
        inside = where[0].lower() + where[1:]
        with _with_file_in_errors(where, lambda: task.path.open("rb")) as file:
            batches = _with_file_in_errors(
                where, lambda: iter(format_.read(file, FileReadContext(task.file_type, task.columns, str(task.path))))
            )
            while (batch := _with_file_in_errors(where, lambda: next(batches, done))) is not done:
                imported = import_batch(batch, f"The format '{self._factory.factory_identifier}'")  # type: ignore[arg-type]  # not the sentinel
                if not task.nulls_for_missing_columns:
                    require_columns(task.wanted, imported.schema, inside)
                yield partial(_cast_to_schema, imported, task, inside)

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        return _Writer(path, row_type, self._factory, options, self._where(path))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        format_ = self._factory.create_file_format(ReadableConfig(options))
        where = self._where(path)

        def infer() -> RowType | None:
            with path.open("rb") as file:
                return format_.infer_type(file)

        return _with_file_in_errors(where, infer)

    def _where(self, path: Path) -> str:
        return f"The {self._factory.factory_identifier} file '{path}'"


def _with_file_in_errors(where: str, action: Callable[[], _T]) -> _T:
    """Returns the result of ``action``, a call of the plug-in; its exceptions are reported with the file.

    Raises:
        TableRuntimeException: the file cannot be read or written.
    """
    try:
        return action()
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"{where} cannot be read or written: {type(error).__name__}: {error}.") from error


def _cast_to_schema(batch: pa.RecordBatch, task: ReadTask, where: str) -> pa.RecordBatch:
    arrays = []
    positions: dict[str, int] = {}
    for position, name in enumerate(batch.schema.names):
        positions.setdefault(name, position)
    for field, arrow_field in zip(task.wanted.fields, task.schema, strict=True):
        if field.name in positions:
            column = batch.column(positions[field.name])
            arrays.append(
                conform_array(
                    column, field.type.with_nullability(True), f"Column '{field.name}' of {where}", by_name=True, require_parts=False
                )
            )
        else:
            arrays.append(pa.nulls(batch.num_rows, arrow_field.type))
    return make_batch(arrays, task.schema, batch.num_rows)


class _Writer(FileWriter):
    def __init__(self, path: Path, row_type: RowType, factory: FileFormatFactory, options: Mapping[str, str], where: str) -> None:
        format_ = factory.create_file_format(ReadableConfig(options))
        self._schema = to_arrow_schema(row_type)
        self._where = where
        self._failed = False
        self._file: Any = path.open("wb")
        try:
            self._writer: FileFormatWriter = _with_file_in_errors(where, lambda: format_.create_writer(self._file, row_type))
        except BaseException:
            self._file.close()
            raise

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        self._failed = True
        _with_file_in_errors(self._where, lambda: self._writer.write(make_batch(batch.columns, self._schema, batch.num_rows)))
        self._failed = False

    @override
    def close(self) -> None:
        try:
            if not self._failed:
                _with_file_in_errors(self._where, self._writer.finish)
        finally:
            self._file.close()
