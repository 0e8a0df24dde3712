"""Messages that are lines of CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import (
    DecodedMessages,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.batches import make_batch
from table_runtime.formats import csv_options as opt
from table_runtime.formats.csv import listed
from table_runtime.formats.csv_values import parse_field, refuse_types
from table_runtime.formats.csv_writer import CsvEncoder
from table_runtime.formats.ignored import Ignored
from table_runtime.formats.json_lines import shown
from table_runtime.formats.json_rows import join_messages
from table_runtime.formats.messages import RowDecodingFormat, decoded, message_array, message_number

__all__ = ["CsvDecodingFormat", "CsvEncodingFormat"]

_HINT = "SET the table's option 'csv.ignore-parse-errors' to read what can be read."


class CsvDecodingFormat(RowDecodingFormat):
    """Fields by position."""

    @override
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        return CsvDecoder(physical_type, produced_type, self._config)


class CsvDecoder(MessageDecoder):
    """Reads the columns of each message: all at once by Arrow, one by one where a message does not have all fields."""

    def __init__(self, physical_type: RowType, produced_type: RowType, config: ReadableConfig) -> None:
        refuse_types(produced_type)
        self._made_of = (physical_type, produced_type, config)
        self._names = physical_type.field_names
        self._fields = produced_type.fields
        self._schema = to_arrow_schema(produced_type)
        self._config = config
        self._quote = None if config.get(opt.DISABLE_QUOTE_CHARACTER) else config.get(opt.QUOTE_CHARACTER)
        self._ignore = config.get(opt.IGNORE_PARSE_ERRORS)

    def __reduce__(self) -> tuple[Any, ...]:
        return CsvDecoder, self._made_of

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        array = message_array(messages)
        name_of = where or message_number
        ignored = Ignored()
        positions = pc.indices_nonzero(pc.fill_null(pc.greater(pc.binary_length(array), 0), False)).cast(pa.int64())
        kept = array.take(positions)
        if self._config.get(opt.ALLOW_COMMENTS):
            plain = pc.invert(pc.starts_with(kept, b"#"))
            kept, positions = kept.filter(plain), positions.filter(plain)
        texts = self._at_once(kept) if len(kept) else [pa.array([], pa.string()) for _ in self._names]
        if texts is None:
            texts, found = self._one_by_one(kept, lambda index: name_of(positions[index].as_py()), ignored)
            positions = positions.take(pa.array(found, type=pa.int64()))
        columns = []
        for field in self._fields:
            text = texts[self._names.index(field.name)]
            column, failure = parse_field(text, field.type, self._config, self._ignore)
            if failure is not None:
                index, value, reason = failure
                raise TableRuntimeException(
                    f"{name_of(positions[index].as_py())}, column '{field.name}': {value!r} cannot be read as {field.type.summary()}: {reason}.",
                    hint=_HINT,
                )
            columns.append(column)
        return decoded(make_batch(columns, self._schema, len(positions)), positions, ignored)

    def _at_once(self, messages: pa.Array) -> list[pa.Array] | None:
        """Returns the texts of all fields, or None if a message has too many or too few."""
        from pyarrow._csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

        names = [f"f{index}" for index in range(len(self._names))]
        block = join_messages(messages)
        null = listed(self._config.get(opt.NULL_LITERAL))
        try:
            table = read_csv(
                pa.BufferReader(block),
                ReadOptions(column_names=names, block_size=max(len(block), 1 << 16), use_threads=False),
                ParseOptions(
                    delimiter=self._config.get(opt.FIELD_DELIMITER),
                    quote_char=self._quote or False,
                    double_quote=self._quote is not None,
                    escape_char=self._config.get(opt.ESCAPE_CHARACTER) or False,
                    newlines_in_values=self._quote is not None,
                    ignore_empty_lines=False,
                ),
                ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=null,
                    strings_can_be_null=bool(null),
                    quoted_strings_can_be_null=True,
                ),
            ).combine_chunks()
        except pa.ArrowInvalid:
            return None
        return [column.chunk(0) for column in table.columns] if table.num_rows == len(messages) else None

    def _one_by_one(self, messages: pa.Array, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], list[int]]:
        width = len(self._names)
        null = self._config.get(opt.NULL_LITERAL)
        rows: list[list[str | None]] = []
        positions = []
        for index, message in enumerate(messages.to_pylist()):
            text = message.decode(errors="replace")
            fields: list[str | None] = []
            for parsed in csv.reader(
                text.splitlines(keepends=True),
                delimiter=self._config.get(opt.FIELD_DELIMITER),
                quotechar=self._quote,
                quoting=csv.QUOTE_MINIMAL if self._quote else csv.QUOTE_NONE,
                escapechar=self._config.get(opt.ESCAPE_CHARACTER),
            ):
                fields += [None if field == null else field for field in parsed]
            if len(fields) != width:
                problem = f"{where(index)} has {len(fields)} fields, but the table has {width} columns: {shown(text)!r}"
                if not self._ignore:
                    raise TableRuntimeException(problem + ".", hint=_HINT)
                if len(fields) > width:
                    ignored.row(problem)
                    continue
                fields += [None] * (width - len(fields))
            rows.append(fields)
            positions.append(index)
        return [pa.array([row[i] for row in rows], type=pa.string()) for i in range(width)], positions


class CsvEncodingFormat(EncodingFormat):
    """Fields by position, without a line break at the end."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        refuse_types(consumed_type)
        return CsvMessageEncoder(consumed_type, self._config)


class CsvMessageEncoder(MessageEncoder):
    """Writes each row as a line."""

    def __init__(self, row_type: RowType, config: ReadableConfig) -> None:
        self._encoder = CsvEncoder(row_type, config)

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        return self._encoder.lines(import_batch(rows)).cast(pa.binary())
