"""The metadata of messages: what can be read, what can be written, and their Arrow columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Message

from connector_kafka.sequences import HEADER
from table_common.types import BigIntType, IntType, LogicalType, parse_logical_type

_HEADERS = parse_logical_type("MAP<STRING NOT NULL, BYTES NOT NULL> NOT NULL")
_TIMESTAMP = parse_logical_type("TIMESTAMP_LTZ(3) NOT NULL")
_TEXT = parse_logical_type("STRING NOT NULL")

READABLE: Mapping[str, LogicalType] = {
    "topic": _TEXT,
    "partition": IntType(nullable=False),
    "headers": _HEADERS,
    "leader-epoch": IntType(),
    "offset": BigIntType(nullable=False),
    "timestamp": _TIMESTAMP,
    "timestamp-type": _TEXT,
}
"""The types of the metadata of a message, by key."""
WRITABLE: Mapping[str, LogicalType] = {
    "headers": parse_logical_type("MAP<STRING NOT NULL, BYTES>"),
    "timestamp": parse_logical_type("TIMESTAMP_LTZ(3)"),
}
"""The types of the metadata that a sink takes, by key; NULL is no header, and the time of writing."""

_TIMESTAMP_TYPES = {TIMESTAMP_CREATE_TIME: "CreateTime", TIMESTAMP_LOG_APPEND_TIME: "LogAppendTime"}


def _headers(message: Message) -> list[tuple[str, Any]]:
    """Returns the headers without that of this connector's sink; of equal names the last one counts."""
    headers = dict(message.headers() or ())
    return [(name, value or b"") for name, value in headers.items() if name != HEADER]


_VALUES: Mapping[str, Callable[[Message], Any]] = {
    "topic": Message.topic,
    "partition": Message.partition,
    "headers": _headers,
    "leader-epoch": Message.leader_epoch,
    "offset": Message.offset,
    "timestamp": lambda message: message.timestamp()[1],
    "timestamp-type": lambda message: _TIMESTAMP_TYPES.get(message.timestamp()[0], "NoTimestampType"),
}


def metadata_values(key: str, messages: Sequence[Message], type_: pa.DataType) -> pa.Array:
    """Returns a metadata column."""
    values = list(map(_VALUES[key], messages))
    if pa.types.is_timestamp(type_):
        return pa.array(values, pa.timestamp("ms", type_.tz)).cast(type_)
    return pa.array(values, type_)
