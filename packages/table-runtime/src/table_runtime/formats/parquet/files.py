"""Parquet files: columns by name, converted to their declared types."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import conform_array, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import replace
from table_common.types import LogicalType, RowType, VarCharType
from table_runtime.columns.ascii_text import is_ascii
from table_runtime.columns.batches import BATCH_ROWS, make_batch, with_dictionaries
from table_runtime.formats.conditions import referenced_names
from table_runtime.formats.file_columns import require_columns, require_text_names
from table_runtime.formats.file_format import FileFormat, FileWriter, Piece, ReadTask, is_local_file
from table_runtime.formats.parquet.options import COMPRESSION
from table_runtime.formats.parquet.row_group_filter import fragment_with_keys, row_filter
from table_runtime.formats.parquet.small_files import SmallFile
from table_runtime.formats.parquet.wide_rows import decoded_slices, rows_per_batch, wide_batches
from table_runtime.formats.utf8_check import refuse_damaged_text

if TYPE_CHECKING:
    from table_runtime.formats.parquet.conditions import TextConditions

ROW_GROUP_ROWS = 1 << 20
PART_BYTES = 32 << 20
"""Minimum bytes, before decoding, of the row groups that are read as one part."""


class ParquetFileFormat(FileFormat):
    """Reads files on several threads and prunes row groups by their statistics."""

    extension = "parquet"
    names_columns = True

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        try:
            small = (
                SmallFile.opened(task.path, task.columns)
                if is_local_file(task.path) and not task.nested and task.byte_range is None
                else None
            )
            if small is not None:
                columns = _columns_in(small.schema, task)
                for batch in small.batches(columns, task):
                    task.progress.fetched_rows(batch.num_rows, 0 if task.filters else batch.num_rows)
                    yield from (partial(_cast_to_schema, piece, columns, task) for piece in decoded_slices(batch, task.dictionaries))
                return
            yield from self._read_large(task)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableRuntimeException(f"The Parquet file '{task.path}' cannot be read: {error}") from error

    def _read_large(self, task: ReadTask) -> Iterator[Piece]:
        # The wrappers of these modules import much that a small query never needs.
        from pyarrow._dataset_parquet import ParquetFileFormat as ArrowParquetFormat
        from pyarrow._dataset_parquet import ParquetFragmentScanOptions
        from pyarrow._fs import LocalFileSystem

        if isinstance(task.path, Path):
            # Without it Arrow reads all row groups ahead, into memory.
            options = ParquetFragmentScanOptions(pre_buffer=False)
            fragment = ArrowParquetFormat(default_fragment_scan_options=options).make_fragment(str(task.path), LocalFileSystem())
        else:
            fragment = ArrowParquetFormat().make_fragment(pa.PythonFile(task.path.open("rb"), "r"))  # type: ignore[unreachable]  # remote
        if task.byte_range is not None:
            numbers = _groups_in(fragment.metadata, *task.byte_range)
            if not numbers:
                return
            fragment = fragment.subset(row_group_ids=numbers)
        schema = fragment.physical_schema
        columns = _columns_in(schema, task)
        present = {field.name: field.type for field in schema}
        if task.nested:
            yield from self._nested(task, fragment, present, columns)
            return
        texts, encoded = None, list[str]()
        condition = row_filter(task.filters, present, task.file_type)
        if is_local_file(task.path) and (encoded := _encoded(task, schema, fragment)):
            groups = fragment.row_groups if condition is None else fragment.subset(filter=condition, schema=schema).row_groups
            if not groups:
                return
            as_dictionaries = ArrowParquetFormat(dictionary_columns=encoded, default_fragment_scan_options=options)
            fragment = as_dictionaries.make_fragment(str(task.path), LocalFileSystem(), row_groups=[group.id for group in groups])
            texts = _text_conditions(task, encoded, present)
            condition = None if texts is not None else condition
        if task.keys:
            fragment = fragment_with_keys(fragment, task, present)
        # Little read-ahead, because a batch of wide rows is large.
        # Rows that a condition excludes are not counted, so with a condition only whole files are.
        total = 0 if task.filters else fragment.metadata.num_rows
        for part in _parts(fragment, len(columns) / max(1, len(schema))):
            for batch in _batches_of(task, part, columns, condition, encoded):
                task.progress.fetched_rows(batch.num_rows, total)
                yield from (partial(_cast_to_schema, piece, columns, task, texts) for piece in decoded_slices(batch, task.dictionaries))

    @override
    def can_split(self, path: Path, options: Mapping[str, str]) -> bool:
        from pyarrow.parquet import read_metadata

        return is_local_file(path) and read_metadata(path).num_row_groups > 1

    @override
    def bounds(self, path: Path, size: int, parts: int) -> Sequence[int]:
        from pyarrow.parquet import read_metadata

        starts = _group_starts(read_metadata(path))[1:]
        # Each bound is where the first row group begins that has the ideal one before it.
        found = {next((start for start in starts if start >= ideal), size) for ideal in super().bounds(path, size, parts)[1:-1]}
        return [0, *sorted(found - {size}), size]

    @override
    def read_rows(self, task: ReadTask, rows: Sequence[int]) -> Iterator[Piece]:
        from table_runtime.formats.parquet.rows import rows_by_group

        texts = {field.name for field in task.wanted.fields if field.type.with_nullability(True) == VarCharType()}
        try:
            for read in rows_by_group(task.path, task.columns, texts, rows):
                yield partial(_rows_to_schema, read, task)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableRuntimeException(f"The Parquet file '{task.path}' cannot be read: {error}") from error

    def _nested(self, task: ReadTask, fragment: Any, present: dict[str, pa.DataType], columns: list[str]) -> Iterator[Piece]:
        """Yields the pieces of a task with fields inside rows."""
        from table_runtime.formats.parquet.fields import can_read_fields, field_batches  # few columns are nested

        if len(columns) == len(task.columns) and can_read_fields(task, fragment.physical_schema):
            condition = row_filter(task.filters, present, task.file_type)
            filtered = sorted({name for one in task.filters for name in referenced_names(one)} & present.keys())
            for batch in field_batches(task, fragment, condition, filtered):
                yield from (partial(_fields_to_schema, piece, task) for piece in decoded_slices(batch, task.dictionaries))
            return
        whole = _with_rows(task)
        for piece in self.read(whole):
            yield partial(_fields_of, piece, whole, task)

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        return _ParquetWriter(path, row_type, ReadableConfig(options).get(COMPRESSION))

    @override
    def infer_type(self, path: Path, options: Mapping[str, str]) -> RowType | None:
        from pyarrow.parquet import read_schema

        from table_runtime.formats.inferred_types import inferred_row  # few tables have no columns

        try:
            with path.open("rb") as file:
                return inferred_row(read_schema(pa.PythonFile(file, "r")), f"the Parquet file '{path}'")
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableRuntimeException(f"The Parquet file '{path}' cannot be read: {error}") from error


def _columns_in(schema: pa.Schema, task: ReadTask) -> list[str]:
    """Returns those of the task's columns that a file with a schema has.

    Raises:
        TableRuntimeException: it lacks one, unless the task allows that; or a name is no text.
    """
    require_text_names(schema)
    if not task.nulls_for_missing_columns:
        require_columns(_with_rows(task).wanted, schema, f"the Parquet file '{task.path}'")
    return [name for name in task.columns if schema.get_field_index(name) >= 0]


def _groups_in(metadata: Any, start: int, end: int) -> list[int]:
    """Returns the row groups that begin in a range of the file's bytes."""
    return [number for number, at in enumerate(_group_starts(metadata)) if start <= at < end]


def _group_starts(metadata: Any) -> list[int]:
    """Returns where the row groups of a file begin."""
    columns = [metadata.row_group(number).column(0) for number in range(metadata.num_row_groups)]
    return [
        column.data_page_offset if column.dictionary_page_offset is None else min(column.dictionary_page_offset, column.data_page_offset)
        for column in columns
    ]


def _parts(fragment: Any, share: float) -> Iterator[Any]:
    """Yields the fragment in parts of several row groups; ``share`` is the part of the columns that is read.

    Arrow reads ahead of a slow consumer, up to 256 MiB for each part.
    """
    groups: list[int] = []
    size = 0.0
    infos = fragment.row_groups
    for info in infos:
        groups.append(info.id)
        size += info.total_byte_size * share
        if size >= PART_BYTES and len(groups) < len(infos):
            yield fragment.subset(row_group_ids=groups)
            groups, size = [], 0.0
    if len(groups) == len(infos):
        yield fragment
    elif groups:
        yield fragment.subset(row_group_ids=groups)


def _batches_of(task: ReadTask, part: Any, columns: list[str], condition: Any, encoded: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if is_local_file(task.path) and not task.keys:
        rows = rows_per_batch(task.path, part, [name for name in columns if name not in encoded])
        if rows < BATCH_ROWS:
            names = set(part.physical_schema.names)
            filtered = sorted({name for one in task.filters for name in referenced_names(one)} & names) if condition is not None else []
            yield from wide_batches(task.path, part, columns, rows, encoded, condition, filtered)
            return
    yield from part.to_batches(columns=columns, filter=condition, batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=1)


def _cast_to_schema(batch: pa.RecordBatch, columns: list[str], task: ReadTask, texts: TextConditions | None = None) -> pa.RecordBatch:
    if texts is not None:
        try:
            batch = texts.matching(batch)
        except pa.ArrowInvalid as error:
            names = " or ".join(sorted(texts.names))
            raise TableRuntimeException(f"Column {names} of the Parquet file '{task.path}' is damaged: {error}") from error
    arrays = []
    schema = task.schema
    positions = {name: position for position, name in enumerate(columns)}
    for field, arrow_field in zip(task.wanted.fields, schema, strict=True):
        if field.name in positions:
            arrays.append(_conformed(batch.column(positions[field.name]), field.type, field.name, task))
        else:
            arrays.append(pa.nulls(batch.num_rows, arrow_field.type))
    return make_batch(arrays, with_dictionaries(schema, arrays), batch.num_rows)


def _rows_to_schema(read: Callable[[], tuple[list[str], list[pa.Array]]], task: ReadTask) -> pa.RecordBatch:
    try:
        columns, arrays = read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise TableRuntimeException(f"The Parquet file '{task.path}' cannot be read: {error}") from error
    return _cast_to_schema(pa.RecordBatch.from_arrays(arrays, names=columns), columns, task)


def _conformed(array: pa.Array, type_: LogicalType, name: str, task: ReadTask) -> pa.Array:
    where = f"Column '{name}' of the Parquet file '{task.path}'"
    is_kept = is_checked = False
    try:
        if pa.types.is_dictionary(array.type):
            from table_runtime.formats.parquet.dictionaries import require_indices  # large files have them

            require_indices(array)
            is_kept = name in task.dictionaries
            if not is_kept:
                is_checked = is_ascii(array.dictionary)  # it may have texts of other rows, so that a damaged one may be none of these
                array = pc.take(array.dictionary, array.indices)
        if not is_checked:
            refuse_damaged_text(array)
    except pa.ArrowInvalid as error:
        raise TableRuntimeException(f"{where} is damaged: {error}") from error
    if is_kept:
        return array
    # NULLs in NOT NULL columns are detected in the result or the sink, as for any other source.
    return conform_array(array, type_.with_nullability(True), where, by_name=True, require_parts=False)


def _encoded(task: ReadTask, schema: pa.Schema, fragment: Any) -> list[str]:
    """Returns the columns that are read as dictionaries: those that may be returned so, and those that conditions use alone."""
    filtered = {name for one in task.filters for name in referenced_names(one)}
    from table_runtime.formats.parquet.conditions import conditions_on_texts  # small files need it not
    from table_runtime.formats.parquet.dictionaries import small_dictionaries

    alone = conditions_on_texts(task.filters, task.file_type).keys() & set(task.columns)
    types = {field.name: field.type for field in task.wanted.fields}
    returned = {name for name in task.dictionaries - filtered if name in types and types[name].with_nullability(True) == VarCharType()}
    return small_dictionaries(schema, fragment.metadata, returned | alone) if returned or alone else []


def _text_conditions(task: ReadTask, encoded: Collection[str], present: Mapping[str, pa.DataType]) -> TextConditions | None:
    """Returns the conditions of a task, if some are over columns that are read as dictionaries."""
    from table_runtime.formats.parquet.conditions import TextConditions, conditions_on_texts  # small files need it not

    texts = {name: of_column for name, of_column in conditions_on_texts(task.filters, task.file_type).items() if name in encoded}
    if not texts:
        return None
    rest = [one for one in task.filters if not (referenced_names(one) & texts.keys())]
    return TextConditions(texts, task.file_type, row_filter(rest, present, task.file_type))


def _with_rows(task: ReadTask) -> ReadTask:
    """Returns the task that reads the rows of the nested fields as a whole, after the columns."""
    return replace(task, columns=tuple(dict.fromkeys((*task.columns, *(path[0] for path in task.nested)))), nested=())


def _fields_to_schema(batch: pa.RecordBatch, task: ReadTask) -> pa.RecordBatch:
    """Returns the columns and fields of a task, which come first in a batch, in their types."""
    from table_runtime.formats.nested_fields import type_at  # few columns are nested

    types = [*(field.type for field in task.wanted.fields), *(type_at(path, task.file_type) for path in task.nested)]
    schema = task.schema
    arrays = [_conformed(batch.column(name), type_, name, task) for name, type_ in zip(schema.names, types, strict=True)]
    return make_batch(arrays, schema, batch.num_rows)


def _fields_of(piece: Piece, whole: ReadTask, task: ReadTask) -> pa.RecordBatch:
    """Returns the columns and fields of a task from a piece with whole rows."""
    batch = piece()
    from table_runtime.formats.nested_fields import array_at  # few columns are nested

    fields = [array_at(batch.column(whole.columns.index(path[0])), path[1:]) for path in task.nested]
    return make_batch([*batch.columns[: len(task.columns)], *fields], task.schema, batch.num_rows)


class _ParquetWriter(FileWriter):
    def __init__(self, path: Path, row_type: RowType, compression: str) -> None:
        from pyarrow.parquet import ParquetWriter

        self._schema = to_arrow_schema(row_type)
        from table_runtime.formats.output_file import OutputFile  # most statements read

        self._file = OutputFile(path)
        codec = "none" if compression == "UNCOMPRESSED" else compression.lower()
        try:
            self._writer = ParquetWriter(pa.PythonFile(self._file, "w"), self._schema, compression=codec)
        except BaseException:
            self._file.discard()
            raise

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        table = pa.Table.from_batches([make_batch(batch.columns, self._schema, batch.num_rows)])
        self._writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
        self._file.check()

    @override
    def close(self) -> None:
        try:
            self._writer.close()
            self._file.end()
        finally:
            self._file.discard()

    @override
    def abandon(self) -> None:
        self._file.discard()
