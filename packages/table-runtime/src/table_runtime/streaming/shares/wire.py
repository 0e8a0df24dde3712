"""What tasks give each other: cells, each with many rows of one edge as an Arrow IPC stream, with a watermark, or with what a task did."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.columns.batches import make_batch, rechunk
from table_runtime.streaming.changes.batch import ChangeBatch

OUTPUT = -1
"""The node of targets that are outputs of the graph."""

MOST_BYTES = 64 << 20
"""Bytes of changes that are joined to one batch, unless a task has another limit."""
_FEW_ROWS = 4096
"""Batches with fewer rows are joined before they are sent."""
_HEADER = struct.Struct("<iiiqiiii28x")
"""All of a cell but the payload, which begins at a multiple of 64 bytes, as Arrow wants its buffers."""
_KINDS, _BEFORE = b"kinds", b"before"


class Kind(IntEnum):
    """What a cell has."""

    ROWS = 0
    """Rows for an input of a node, or of an output."""
    MARK = 1
    """The watermark of its origin for such an input."""
    NOTE = 2
    """What the task did, for the client."""
    RESULT = 3
    """Rows of an output, for the client."""
    SEEN = 4
    """Nothing: it tells each share of the next level which attempt of its origin it read, also if that had no rows for it."""


class Target(NamedTuple):
    """Where rows go: the input of a node of the graph, or (``node`` is ``OUTPUT``) an output, by its number."""

    node: int
    input_index: int


class HeldRows(NamedTuple):
    """Changes of one edge that stay in the process which has made them."""

    batches: Sequence[ChangeBatch]


class Cell(NamedTuple):
    """A message from a task to one of the next level, or to the client. ``part`` is the share that gets it. ``level``, ``origin`` and ``attempt`` say which task made it, ``number`` how many cells it had made before."""

    part: int
    level: int
    origin: int
    attempt: int
    number: int
    kind: int
    node: int
    input_index: int
    payload: Any
    """A buffer; ``HeldRows`` in the process that has made them."""

    @property
    def target(self) -> Target:
        """Where the rows or the watermark go."""
        return Target(self.node, self.input_index)

    def to_bytes(self) -> bytes:
        """Returns what ``of`` reads."""
        return b"".join((_HEADER.pack(*self[:-1]), memoryview(self.payload)))

    @classmethod
    def of(cls, content: bytes) -> Cell:
        """Returns the cell with this content, which is not copied."""
        return cls._make((*_HEADER.unpack_from(content), pa.py_buffer(content).slice(_HEADER.size)))

    @staticmethod
    def part_of(content: bytes) -> int:
        """Returns the part of the cell with this content."""
        part: int = _HEADER.unpack_from(content)[0]
        return part


class Mark(NamedTuple):
    """The watermark of an origin for an edge: those that it had in the epoch, ascending, the last one counts. ``is_idle``: nobody waits for it.

    ``split`` names the split of which several origins read parts; its watermark is the greatest of them.
    """

    watermarks: Sequence[int]
    is_idle: bool = False
    split: str | None = None

    def to_payload(self) -> pa.Buffer:
        """Returns the payload of a cell."""
        return pa.py_buffer(json.dumps([list(self.watermarks), self.is_idle, self.split]).encode())

    @classmethod
    def of(cls, payload: pa.Buffer) -> Mark:
        """Returns the mark in a cell."""
        return cls(*json.loads(payload.to_pybytes()))


def payload_of(batches: Sequence[ChangeBatch]) -> pa.Buffer:
    """Returns changes of one edge as an Arrow IPC stream: their kinds and watermarks are the last columns, as the metadata of the schema say."""
    schema = batches[0].rows.schema
    has_kinds = any(batch.kinds is not None for batch in batches)
    has_before = any(batch.before is not None for batch in batches)
    assert all((batch.before is not None) is has_before for batch in batches)
    fields = [*schema, *([pa.field("kind", pa.int8())] if has_kinds else []), *([pa.field("before", pa.int64())] if has_before else [])]
    metadata = {_KINDS: b"1" if has_kinds else b"", _BEFORE: b"1" if has_before else b""}
    whole = pa.schema(fields, metadata)
    parts = []
    for batch in batches:
        columns = list(batch.rows.columns)
        if has_kinds:
            columns.append(pa.array(batch.all_kinds))
        if has_before:
            columns.append(pa.array(batch.before))
        parts.append(make_batch(columns, whole, batch.num_rows))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, whole) as writer:
        for batch in parts if sum(part.num_rows for part in parts) >= _FEW_ROWS * len(parts) else [rechunk(parts, whole)]:
            writer.write_batch(batch)
    return sink.getvalue()


def joined_changes(batches: Iterable[ChangeBatch], schema: pa.Schema, most_bytes: int = MOST_BYTES) -> Iterator[ChangeBatch]:
    """Yields changes, those that follow one another as one batch, unless it would have more than ``most_bytes`` bytes: a group then changes once for all of them."""
    waiting: list[ChangeBatch] = []
    size = 0
    for batch in batches:
        own = batch.rows.nbytes
        if waiting and (size + own > most_bytes or (batch.before is None) is not (waiting[0].before is None)):
            yield ChangeBatch.joined(waiting, schema)
            waiting, size = [], 0
        waiting.append(batch)
        size += own
    if waiting:
        yield ChangeBatch.joined(waiting, schema)


def changes_of(payload: pa.Buffer | HeldRows, schema: pa.Schema) -> Iterator[ChangeBatch]:
    """Yields the changes in a cell, whose rows have a schema."""
    if isinstance(payload, HeldRows):
        for batch in payload.batches:
            yield ChangeBatch(make_batch(batch.rows.columns, schema, batch.num_rows), batch.kinds, batch.before)
        return
    reader = pa.ipc.open_stream(payload)
    has_kinds, has_before = (bool(reader.schema.metadata[name]) for name in (_KINDS, _BEFORE))
    for batch in reader:
        columns = batch.columns
        before = np.asarray(columns.pop()) if has_before else None
        kinds = np.asarray(columns.pop()) if has_kinds else None
        yield ChangeBatch(make_batch(columns, schema, batch.num_rows), kinds, before)
