"""Decoding of messages into rows, shared by the message formats."""

from __future__ import annotations

from abc import abstractmethod

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector import ChangelogMode, DecodedMessages, DecodingFormat, MessageDecoder, SupportsArrowArray
from table_common.types import RowType
from table_runtime.formats.ignored import Ignored

__all__ = ["RowDecodingFormat", "decoded", "message_array", "message_number"]


class RowDecodingFormat(DecodingFormat):
    """A format whose messages are rows, none of which changes another."""

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
        """Returns the decoder of messages that stand for ``physical_type``, of which ``produced_type`` is wanted."""


def message_array(messages: SupportsArrowArray) -> pa.Array:
    """Returns an array of any Arrow library as one of pyarrow with the type BYTES."""
    array = messages if isinstance(messages, pa.Array) else pa.array(messages)
    return array if pa.types.is_binary(array.type) else array.cast(pa.binary())


def message_number(position: int) -> str:
    """Names a message of which nothing is known but its position."""
    return f"Message {position + 1}"


def decoded(rows: pa.RecordBatch, positions: pa.Array | None, ignored: Ignored) -> DecodedMessages:
    """Returns what a decoder hands out."""
    return DecodedMessages(rows, positions, ignored.total, ignored.first)
