"""ORC files: columns by name, converted to their declared types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import conform_array, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import LogicalType, RowField, RowType, TimeType, types_in
from table_runtime.columns.batches import make_batch
from table_runtime.formats.file_columns import require_columns, require_text_names
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask, is_local_file
from table_runtime.formats.inferred_types import inferred_row
from table_runtime.formats.orc.layout import DamagedOrcError, check_layout
from table_runtime.formats.output_file import OutputFile

if TYPE_CHECKING:
    from pyarrow.orc import ORCFile
from table_runtime.formats.orc.options import COMPRESS, READ_IN_PROCESS

_MOST_MICROS = (2**63 - 1) // 1000
"""The greatest microsecond that fits 64 bits of nanoseconds."""


class OrcFileFormat(FileFormat):
    """Reads files stripe by stripe, and only the requested columns."""

    extension = "orc"
    names_columns = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        if ReadableConfig(task.options).get(READ_IN_PROCESS) and is_local_file(task.path):
            yield from _read_in_process(task)
            return
        try:
            with task.path.open("rb") as stream:
                if not check_layout(stream) and is_local_file(task.path):
                    yield from _read_in_process(task)  # the lengths in it may take much memory
                    return
                file = _arrow_file(stream)
                require_text_names(file.schema)
                if not task.nulls_for_missing_columns:
                    require_columns(task.wanted, file.schema, f"the ORC file '{task.path}'")
                present = set(file.schema.names)
                columns = [name for name in task.columns if name in present]
                for stripe in range(file.nstripes):
                    # A stripe without columns would have no row count.
                    read = columns or file.schema.names[:1]
                    yield partial(_cast_to_schema, file.read_stripe(stripe, read), columns, task)
        except (pa.ArrowException, DamagedOrcError, OSError, UnicodeDecodeError) as error:
            raise TableRuntimeException(f"The ORC file '{task.path}' cannot be read: {error}") from error

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        for field in row_type.fields:
            _refuse_times(field.type, field.name)
        return _OrcWriter(path, row_type, ReadableConfig(options).get(COMPRESS))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        try:
            with path.open("rb") as stream:
                return inferred_row(_opened(stream).schema, f"the ORC file '{path}'")
        except (pa.ArrowException, DamagedOrcError, OSError, UnicodeDecodeError) as error:
            raise TableRuntimeException(f"The ORC file '{path}' cannot be read: {error}") from error


def _opened(stream: IO[bytes]) -> ORCFile:
    """Returns Arrow's reader of a file, after checking the file's layout."""
    check_layout(stream)
    return _arrow_file(stream)


def _arrow_file(stream: IO[bytes]) -> ORCFile:
    from pyarrow.orc import ORCFile

    return ORCFile(pa.PythonFile(stream, "r"))


def _read_in_process(task: ReadTask) -> Iterator[Piece]:
    from table_runtime.formats.orc.process import read_in_process

    present: list[str] = []

    def check(schema: pa.Schema) -> None:
        if not task.nulls_for_missing_columns:
            require_columns(task.wanted, schema, f"the ORC file '{task.path}'")
        present.extend(name for name in task.columns if name in set(schema.names))

    for batch in read_in_process(task.path, task.columns, check):
        yield partial(_cast_to_schema, batch, present, task)


def _refuse_times(type_: LogicalType, name: str) -> None:
    if any(isinstance(inner, TimeType) for inner in types_in(type_)):
        raise TableException(
            f"The format 'orc' does not support column '{name}' of the type {type_.summary()}.", hint="CAST it to STRING or to INT."
        )


def _refuse_moments(column: pa.Array, field: RowField) -> None:
    """Raises ``TableRuntimeException`` for timestamps outside of the range of ORC readers, which use 64-bit nanoseconds."""
    for moments in _moments_in(column):
        seconds = pc.min_max(pc.cast(moments, pa.int64()))
        low, high = seconds["min"].as_py(), seconds["max"].as_py()
        if low is not None and moments.type.unit == "us" and not -_MOST_MICROS <= low <= high <= _MOST_MICROS:
            raise TableRuntimeException(
                f"The format 'orc' supports timestamps from 1677-09-21 to 2262-04-11, but column '{field.name}' of the type "
                f"{field.type.summary()} has others.",
                hint="CAST it to STRING, or write another format, such as 'parquet'.",
            )


def _moments_in(array: pa.Array) -> Iterator[pa.Array]:
    """Yields the arrays of timestamps inside a column."""
    type_ = array.type
    if pa.types.is_timestamp(type_):
        yield array
    elif pa.types.is_struct(type_):
        for child in array.flatten():
            yield from _moments_in(child)
    elif pa.types.is_map(type_):
        yield from _moments_in(array.keys)
        yield from _moments_in(array.items)
    elif pa.types.is_list(type_):
        yield from _moments_in(array.flatten())


def _cast_to_schema(batch: pa.RecordBatch, columns: list[str], task: ReadTask) -> pa.RecordBatch:
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        raise TableRuntimeException(f"The ORC file '{task.path}' is damaged: {error}") from error
    arrays = []
    for field, arrow_field in zip(task.wanted.fields, task.schema, strict=True):
        if field.name in columns:
            where = f"Column '{field.name}' of the ORC file '{task.path}'"
            arrays.append(
                conform_array(batch.column(field.name), field.type.with_nullability(True), where, by_name=True, require_parts=False)
            )
        else:
            arrays.append(pa.nulls(batch.num_rows, arrow_field.type))
    return make_batch(arrays, task.schema, batch.num_rows)


class _OrcWriter(FileWriter):
    def __init__(self, path: Path, row_type: RowType, compress: str) -> None:
        from pyarrow.orc import ORCWriter

        self._schema = to_arrow_schema(row_type)
        self._fields = row_type.fields
        self._file = OutputFile(path)
        codec = "uncompressed" if compress == "NONE" else compress.lower()
        try:
            self._writer = ORCWriter(pa.PythonFile(self._file, "w"), compression=codec)
        except BaseException:
            self._file.discard()
            raise
        self._rows = 0

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        self._rows += batch.num_rows
        for column, field in zip(batch.columns, self._fields, strict=True):
            _refuse_moments(column, field)
        self._writer.write(pa.Table.from_batches([make_batch(batch.columns, self._schema, batch.num_rows)]))
        self._file.check()

    @override
    def close(self) -> None:
        try:
            if not self._rows:  # the file gets its columns with the first batch
                self._writer.write(self._schema.empty_table())
            self._writer.close()
            self._file.end()
        finally:
            self._file.discard()

    @override
    def abandon(self) -> None:
        self._file.discard()
