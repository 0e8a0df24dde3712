"""Messages in and rows out, as the formats here share it."""

from __future__ import annotations

import pyarrow as pa

from table_common.connector import DecodedMessages, SupportsArrowArray
from table_runtime.formats.ignored import Ignored

__all__ = ["decoded", "message_array", "message_number"]


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
