"""Decoding of messages to rows, shared by the message formats."""

from __future__ import annotations

from abc import abstractmethod

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector import ChangelogMode, DecodedMessages, DecodingFormat, MessageDecoder, SupportsArrowArray
from table_common.exceptions import ValidationException
from table_common.types import RowType
from table_runtime.formats.skipped_rows import Ignored


class RowDecodingFormat(DecodingFormat):
    """A format whose messages are insertions."""

    def __init__(self, config: ReadableConfig) -> None:
        self._config = config

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def create_runtime_decoder(self, physical_type: RowType, produced_type: RowType | None = None) -> MessageDecoder:
        return self.decoder(physical_type, produced_type if produced_type is not None else physical_type)

    @abstractmethod
    def decoder(self, physical_type: RowType, produced_type: RowType) -> MessageDecoder:
        """Returns the decoder of messages with rows of ``physical_type`` to rows of ``produced_type``, a subset of its columns."""


def require_a_column(format_name: str, row_type: RowType) -> None:
    """Raises a ``ValidationException`` if rows have no columns: the format's message would be empty, and readers skip empty messages."""
    if not row_type.fields:
        raise ValidationException(
            f"The format '{format_name}' needs at least one column, but the messages have none.", hint="the format 'json' has empty objects"
        )


def message_array(messages: SupportsArrowArray) -> pa.Array:
    """Converts an array of any Arrow library to a pyarrow array of binary values."""
    array = messages if isinstance(messages, pa.Array) else pa.array(messages)
    return array if pa.types.is_binary(array.type) else array.cast(pa.binary())


def message_number(position: int) -> str:
    """Returns the name of a message, from its position, for messages to the user."""
    return f"Message {position + 1}"


def decoded(rows: pa.RecordBatch, positions: pa.Array | None, ignored: Ignored) -> DecodedMessages:
    """Returns the result of a decoder."""
    return DecodedMessages(rows, positions, ignored.total, ignored.first)
