"""Changelog messages in JSON envelopes: the common base of the Debezium, Canal, Maxwell and Oracle GoldenGate formats.

A format defines the fields of its envelope and the changes that they describe. This module parses, checks and orders messages, reads
metadata and reports errors, always on whole columns.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema, to_arrow_type
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import (
    ChangelogMode,
    DecodedMessages,
    DecodingFormat,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import DeserializationFormatFactory, SerializationFormatFactory
from table_common.frozen_dataclass import dataclass
from table_common.json_text import as_deep_as_it_is
from table_common.types import LogicalType, RowType
from table_runtime.columns.batches import make_batch
from table_runtime.formats.changelog.sequence_numbers import retracts
from table_runtime.formats.compression import COMPRESSION
from table_runtime.formats.file_format import ROW_KIND_FIELD
from table_runtime.formats.json import options as opt
from table_runtime.formats.json.line_parser import shown
from table_runtime.formats.json.rows import JsonRows
from table_runtime.formats.messages import decoded, message_array, message_number, require_a_column
from table_runtime.formats.skipped_rows import Ignored


@dataclass(frozen=True, slots=True)
class Envelopes:
    """A batch of parsed envelopes: columns by name, their number, and a function that returns the text of each envelope, which few batches need."""

    columns: Mapping[str, pa.Array]
    count: int
    messages: Callable[[], pa.Array]
    has_ignored: bool = False
    """Whether values could not be read and are NULL."""

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of envelopes: row, row kind (int8; NULL: no change) and position of the envelope of each possible change.

    ``problems`` has an error text for each envelope, NULL if it is valid.
    """

    rows: pa.StructArray
    kinds: pa.Array
    positions: pa.Array
    problems: pa.Array


@dataclass(frozen=True, slots=True)
class MetadataKey:
    """Metadata of an envelope: its type, the required fields, and the function from these fields to its value."""

    type: LogicalType
    needs: tuple[tuple[str, LogicalType], ...]
    value: Callable[[Mapping[str, pa.Array]], pa.Array]


class ChangeEnvelope(ABC):
    """The envelope of one format."""

    metadata: ClassVar[Mapping[str, MetadataKey]] = {}

    def __init__(self, config: ReadableConfig) -> None:
        self.config = config

    @abstractmethod
    def fields(self, row_type: RowType) -> dict[str, LogicalType]:
        """Returns the fields of the envelope that describe changes."""

    @abstractmethod
    def changes(self, envelopes: Envelopes, row_type: RowType) -> Changes:
        """Returns the changes of a batch of envelopes, in order."""

    def parsed_type(self, fields: Mapping[str, LogicalType]) -> RowType:
        """Returns the row type for parsing a message."""
        return RowType.of(list(fields.items()), nullable=False)

    def unpacked(self, columns: Mapping[str, pa.Array]) -> Mapping[str, pa.Array]:
        """Returns the fields of the envelope from those of the message."""
        return columns

    def hint(self, message: bytes) -> str | None:
        """Returns what to do about an invalid message, if its form says so."""
        return None

    @abstractmethod
    def written_type(self, row_type: RowType) -> RowType:
        """Returns the row type of a written change."""

    @abstractmethod
    def written(self, rows: pa.StructArray, deleted: pa.Array) -> list[pa.Array]:
        """Returns the columns of ``written_type`` for insertions or, where ``deleted`` is true, deletions of rows."""


class ChangeFormatFactory(DeserializationFormatFactory, SerializationFormatFactory):
    """The factory of a changelog format."""

    envelope: ClassVar[type[ChangeEnvelope]]
    own_options: ClassVar[tuple[ConfigOption[Any], ...]] = ()

    @property
    @override
    def optional_options(self) -> Sequence[ConfigOption[Any]]:
        return (*self.own_options, opt.IGNORE_PARSE_ERRORS, *opt.WRITING, COMPRESSION)

    @override
    def create_decoding_format(self, options: ReadableConfig) -> DecodingFormat:
        return ChangeDecodingFormat(self.envelope(options), self.factory_identifier)

    @override
    def create_encoding_format(self, options: ReadableConfig) -> EncodingFormat:
        return ChangeEncodingFormat(self.envelope(options), self.factory_identifier)


class ChangeDecodingFormat(DecodingFormat):
    """Decodes changes of all row kinds."""

    def __init__(self, envelope: ChangeEnvelope, name: str) -> None:
        self._envelope = envelope
        self._name = name
        self._metadata: tuple[str, ...] = ()

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.all()

    @override
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        return {key: metadata.type for key, metadata in self._envelope.metadata.items()}

    @override
    def apply_readable_metadata(self, metadata_keys: Sequence[str]) -> None:
        for key in metadata_keys:
            if key not in self._envelope.metadata:
                raise ValidationException.unknown("Metadata key", key, sorted(self._envelope.metadata), where=f"format '{self._name}'")
        self._metadata = tuple(metadata_keys)

    @override
    def create_runtime_decoder(self, physical_type: RowType, produced_type: RowType | None = None) -> MessageDecoder:
        return ChangeDecoder(self._envelope, self._name, produced_type if produced_type is not None else physical_type, self._metadata)


class ChangeDecoder(MessageDecoder):
    """Decodes messages to changes."""

    def __init__(self, envelope: ChangeEnvelope, name: str, row_type: RowType, metadata: tuple[str, ...]) -> None:
        self._made_of = (envelope, name, row_type, metadata)
        self._envelope = envelope
        self._name = name
        self._row_type = row_type.with_nullable_fields().with_nullability(True)
        self._metadata = [envelope.metadata[key] for key in metadata]
        fields = dict(envelope.fields(self._row_type))
        for key in self._metadata:
            for field_name, type_ in key.needs:
                existing = fields.get(field_name)
                fields[field_name] = _merged(existing, type_) if existing is not None else type_
        self._parsed_type = envelope.parsed_type(fields)
        self._ignore = envelope.config.get(opt.IGNORE_PARSE_ERRORS)
        self._rows = JsonRows(self._parsed_type, name, ignore_errors=self._ignore, forms=opt.timestamp_forms(envelope.config))
        schema = to_arrow_schema(self._row_type)
        for number, key in enumerate(self._metadata):
            schema = schema.append(pa.field(f"$metadata{number}", to_arrow_type(key.type)))
        self._schema = schema.append(ROW_KIND_FIELD)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChangeDecoder, self._made_of

    @override
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        array = message_array(messages)
        name_of = where or message_number
        ignored = Ignored()
        columns, origins = self._rows.parse_messages(array, name_of, ignored)
        envelope = self._envelope.unpacked(dict(zip(self._parsed_type.field_names, columns, strict=True)))
        texts = cache(lambda: _envelope_texts(array if len(origins) == len(array) else array.take(origins), origins))
        changes = self._envelope.changes(Envelopes(envelope, len(origins), texts, ignored.values > 0), self._row_type)
        kinds = changes.kinds
        if changes.problems.null_count < len(changes.problems):
            self._report(changes.problems, texts(), lambda position: name_of(origins[position].as_py()), ignored)
            is_invalid = pc.is_valid(changes.problems)
            kinds = pc.if_else(pc.take(is_invalid, changes.positions), pa.scalar(None, pa.int8()), kinds)
        rows, positions = changes.rows, changes.positions
        if kinds.null_count:
            is_change = pc.is_valid(kinds)
            rows, positions, kinds = rows.filter(is_change), positions.filter(is_change), kinds.filter(is_change)
        metadata = [pc.take(key.value(envelope), positions) for key in self._metadata]
        batch = make_batch([*rows.flatten(), *metadata, kinds], self._schema, len(kinds))
        return decoded(batch, pc.take(origins, positions), ignored)

    def _report(self, problems: pa.Array, messages: pa.Array, where: Callable[[int], str], ignored: Ignored) -> None:
        bad = pc.indices_nonzero(pc.is_valid(problems))
        first = bad[0].as_py()
        text = f"{where(first)}: {problems[first].as_py()}: {shown(messages[first].as_py().decode(errors='replace'))}"
        if not self._ignore:
            skip = f"Set the table's option '{self._name}.ignore-parse-errors' to skip messages that cannot be read."
            raise TableRuntimeException(text, hint=self._envelope.hint(messages[first].as_py()) or skip)
        ignored.row(text, len(bad))


class ChangeEncodingFormat(EncodingFormat):
    """Encodes changes of all row kinds; an update is a deletion of the old row and an insertion of the new row."""

    def __init__(self, envelope: ChangeEnvelope, name: str) -> None:
        self._envelope = envelope
        self._name = name

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.all()

    @override
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        require_a_column(self._name, consumed_type)
        return ChangeEncoder(self._envelope, self._name, consumed_type)


class ChangeEncoder(MessageEncoder):
    """Encodes changes as messages."""

    def __init__(self, envelope: ChangeEnvelope, name: str, row_type: RowType) -> None:
        from table_runtime.formats.json.writer import JsonEncoder

        self._made_of = (envelope, name, row_type)
        self._envelope = envelope
        self._row_type = row_type
        self._type = envelope.written_type(row_type.with_nullable_fields().with_nullability(True))
        self._lines = JsonEncoder(self._type, envelope.config, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChangeEncoder, self._made_of

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        batch = import_batch(rows)
        width = len(self._row_type.fields)
        fields = [pa.field(name, column.type) for name, column in zip(self._row_type.field_names, batch.columns, strict=False)]
        row = pa.StructArray.from_arrays(batch.columns[:width], fields=fields)
        if batch.num_columns > width:
            deleted = retracts(batch.column(width))
        else:
            deleted = pa.repeat(pa.scalar(False), batch.num_rows)
        columns = self._envelope.written(row, deleted)
        struct = pa.StructArray.from_arrays(columns, names=list(self._type.field_names))
        return self._lines.lines(struct).cast(pa.binary())


def _envelope_texts(messages: pa.Array, origins: pa.Array) -> pa.Array:
    """Returns the text of each envelope from its message: a message may be an array of envelopes, which then are behind each other."""
    # Differs from Flink: a message may be an array of several envelopes, as it may be an array of rows in json; Flink refuses it.
    if pc.all(pc.starts_with(messages, b"{")).as_py() is not False:
        return messages
    in_array = pc.match_substring_regex(messages, rb"^[ \t\r\n]*\[")
    if not pc.any(in_array).as_py():
        return messages
    texts, numbers = messages.to_pylist(), origins.to_pylist()
    rest: list[Any] = []
    for position in pc.indices_nonzero(in_array).to_pylist():
        if not position or numbers[position] != numbers[position - 1]:
            text = texts[position].decode(errors="replace")
            with as_deep_as_it_is(text):
                # What is not an object has no envelope.
                rest = [item for item in json.loads(text, strict=False) if isinstance(item, dict)][::-1]
        texts[position] = json.dumps(rest.pop()).encode()
    return pa.array(texts, messages.type)


def _merged(left: LogicalType, right: LogicalType) -> LogicalType:
    if isinstance(left, RowType) and isinstance(right, RowType):
        fields = {field.name: field.type for field in (*left.fields, *right.fields)}
        return RowType.of(list(fields.items()))
    # The type that has all properties: a map.
    return left if not isinstance(left, RowType) else right
