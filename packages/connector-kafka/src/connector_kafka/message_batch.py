"""Messages on the way to rows: what their decoding needs, as Arrow arrays."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from confluent_kafka import Message

from connector_kafka.metadata import metadata_values

_MOST_BYTES = 4 << 20
_MOST_SECONDS = 0.2
"""How long messages wait for others of their batch."""


class MessageBatch:
    """Values, keys and metadata of messages of one partition, in the order of their offsets.

    The objects of the client are not kept: Python's garbage collector visits those that live again and again, which takes half of the time of a read.
    """

    def __init__(self, topic: str, partition: int, *, has_keys: bool, metadata: Sequence[tuple[str, pa.DataType]]) -> None:
        """``metadata`` are the keys of metadata columns, with the types of the columns."""
        self._topic = topic
        self._partition = partition
        self._values: list[pa.Array] = []
        self._keys: list[pa.Array] | None = [] if has_keys else None
        self._metadata: list[tuple[str, pa.DataType, list[pa.Array]]] = [(key, type_, []) for key, type_ in metadata]
        self._offsets: list[Sequence[Any]] = []
        self._count = self._bytes = 0
        self._began = 0.0

    def __len__(self) -> int:
        return self._count

    def add(self, messages: Sequence[Any]) -> None:
        """Adds messages, at least one."""
        if not self._count:
            self._began = time.monotonic()
        added = [pa.array(list(map(Message.value, messages)), pa.binary())]
        self._values.append(added[0])
        if self._keys is not None:
            added.append(pa.array(list(map(Message.key, messages)), pa.binary()))
            self._keys.append(added[1])
        for key, type_, arrays in self._metadata:
            arrays.append(metadata_values(key, messages, type_))
        first, last = messages[0].offset(), messages[-1].offset()
        is_gapless = last - first == len(messages) - 1
        self._offsets.append(range(first, last + 1) if is_gapless else list(map(Message.offset, messages)))
        self._count += len(messages)
        self._bytes += sum(array.nbytes for array in added)

    def is_full(self, most: int) -> bool:
        """Whether these are ``most`` messages, a few megabytes, or wait too long."""
        return self._count >= most or self._bytes >= _MOST_BYTES or (self._count > 0 and time.monotonic() - self._began >= _MOST_SECONDS)

    @property
    def values(self) -> pa.Array:
        """The values; NULL where a message has none."""
        return _joined(self._values)

    @property
    def keys(self) -> pa.Array:
        """The keys; NULL where a message has none."""
        assert self._keys is not None
        return _joined(self._keys)

    def metadata(self, index: int) -> pa.Array:
        """Returns a metadata column by its position among those of the batch."""
        return _joined(self._metadata[index][2])

    def place(self, position: int) -> str:
        """Returns the name of a message in errors."""
        for offsets in self._offsets:
            if position < len(offsets):
                return f"Topic '{self._topic}', partition {self._partition}, offset {offsets[position]}"
            position -= len(offsets)
        raise IndexError(position)


def _joined(arrays: list[pa.Array]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
