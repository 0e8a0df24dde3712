"""Files of lines: each line is a message, decoded and encoded by a message format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import IO

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema, to_arrow_type
from table_common.configuration import ReadableConfig
from table_common.connector import MessageEncoder, RowKind
from table_common.exceptions import TableException, TableRuntimeException
from table_common.factories import DeserializationFormatFactory, FormatFactory, SerializationFormatFactory
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.compressed_files import compressed, decompressed
from table_runtime.formats.file_format import ROW_KIND_FIELD, FileFormat, FileWriter, Piece, ReadTask

BLOCK_BYTES = 8 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class LineFileFormat(FileFormat):
    """Reads and writes files line by line, with the message format of a factory."""

    def __init__(self, factory: FormatFactory, extension: str | None = None) -> None:
        self._factory = factory
        self.extension = extension or factory.factory_identifier

    @override
    def read(self, task: ReadTask) -> Iterator[Piece]:
        factory = self._factory
        if not isinstance(factory, DeserializationFormatFactory):
            raise TableException(f"The format '{factory.factory_identifier}' can only be written.")
        first_line = 1
        for block in line_blocks(task.path, factory.factory_identifier):
            task.progress.fetched(len(block))
            yield partial(self._decode, block, first_line, task)
            first_line += block.count(b"\n")

    def _decode(self, block: bytes, first_line: int, task: ReadTask) -> pa.RecordBatch:
        assert isinstance(self._factory, DeserializationFormatFactory)
        # Each block has its own decoder, because blocks are decoded on several threads.
        format_ = self._factory.create_decoding_format(ReadableConfig(task.options))
        keys = tuple(task.metadata.values())
        format_.apply_readable_metadata(keys)
        decoder = format_.create_runtime_decoder(task.file_type, task.wanted)
        decoder.open()
        name = self._factory.factory_identifier

        def where(position: int) -> str:
            return f"The {name} file '{task.path}', line {first_line + position}"

        result = decoder.decode(split_lines(block), where)
        if result.ignored:
            task.ignored.row(result.first_ignored or "", result.ignored)
        batch = import_batch(result.rows)
        changes = not format_.get_changelog_mode().contains_only(RowKind.INSERT)
        schema = task.schema
        readable = format_.list_readable_metadata()
        for column, key in task.metadata.items():
            schema = schema.append(pa.field(column, to_arrow_type(readable[key])))
        if changes:
            schema = schema.append(ROW_KIND_FIELD)
        return make_batch(batch.columns, schema, batch.num_rows)

    @override
    def open_writer(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> FileWriter:
        factory = self._factory
        if not isinstance(factory, SerializationFormatFactory):
            raise TableException(f"The format '{factory.factory_identifier}' can only be read.")
        encoder = factory.create_encoding_format(ReadableConfig(options)).create_runtime_encoder(row_type)
        encoder.open()
        return _LineWriter(path, row_type, encoder, factory.factory_identifier)


class _LineWriter(FileWriter):
    def __init__(self, path: Path, row_type: RowType, encoder: MessageEncoder, format_name: str) -> None:
        self._row_type = row_type
        self._schema = to_arrow_schema(row_type)
        self._encoder = encoder
        self._format = format_name
        self._file = compressed(path.open("wb"), path.name)

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        has_kinds = batch.num_columns > len(self._schema)
        schema = self._schema.append(ROW_KIND_FIELD) if has_kinds else self._schema
        messages = pa.array(self._encoder.encode(make_batch(batch.columns, schema, batch.num_rows)))
        if messages.null_count:
            raise self._refused("is NULL, but an empty line is an empty value")
        if pc.any(pc.match_substring(messages, b"\n")).as_py():
            raise self._refused("has a line break in it, but each line of a file is a row")
        self._file.writelines(message + b"\n" for message in messages.to_pylist())

    def _refused(self, reason: str) -> TableRuntimeException:
        columns = ", ".join(f"{field.name} {field.type.summary()}" for field in self._row_type.fields)
        return TableRuntimeException(
            f"A row ({columns}) in the format '{self._format}' {reason}.",
            hint="Use a format that is not line-based, such as 'parquet'.",
        )

    @override
    def close(self) -> None:
        self._file.close()


def split_lines(block: bytes) -> pa.Array:
    """Returns the lines of a block without line ends; a final line end starts no further line."""
    if block.endswith(b"\n"):
        block = block[:-1]
    lines = pc.split_pattern(pa.array([block], type=pa.large_binary()), pattern=b"\n").values
    return lines.cast(pa.binary())


def line_blocks(path: Path, format_name: str, byte_range: tuple[int, int] | None = None) -> Iterator[bytes]:
    """Yields decompressed blocks of whole lines of a file, or of the lines that start in a byte range.

    Raises:
        TableRuntimeException: the file cannot be read.
    """
    try:
        with decompressed(path.open("rb"), path.name) as file:
            start = range_start(file, byte_range)
            remaining = None if byte_range is None else byte_range[1] - start
            rest = b""
            while (remaining is None or remaining > 0) and (
                block := file.read(BLOCK_BYTES if remaining is None else min(remaining, BLOCK_BYTES))
            ):
                if remaining is not None:
                    remaining -= len(block)
                    if remaining <= 0 and not block.endswith(b"\n"):
                        block += file.readline()
                block = rest + block
                cut = block.rfind(b"\n") + 1
                rest = block[cut:]
                if cut:
                    yield block[:cut]
            if rest:
                yield rest
    except OSError as error:
        raise TableRuntimeException(f"The {format_name} file '{path}' cannot be read: {error}") from error


def range_start(file: IO[bytes], byte_range: tuple[int, int] | None) -> int:
    """Seeks to the first line that starts in a range; returns its position."""
    if byte_range is None or not byte_range[0]:
        return 0
    file.seek(byte_range[0] - 1)
    return byte_range[0] - 1 + len(file.readline())


class FirstLine:
    """The number of the first line of a byte range; lines are counted only when an error is reported."""

    def __init__(self, path: Path, byte_range: tuple[int, int] | None) -> None:
        self._path = path
        self._start = byte_range[0] if byte_range is not None else 0

    @cached_property
    def number(self) -> int:
        """The line number, from 1."""
        if not self._start:
            return 1
        # The line of the byte before the range belongs to the preceding range.
        number, remaining = 2, self._start - 1
        with self._path.open("rb") as file:
            while remaining and (block := file.read(min(remaining, BLOCK_BYTES))):
                number += block.count(b"\n")
                remaining -= len(block)
        return number
