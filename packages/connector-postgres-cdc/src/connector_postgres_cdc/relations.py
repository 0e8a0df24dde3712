"""Messages of pgoutput about tables: their columns, as they were when the changes after the message were made."""

from __future__ import annotations

import struct

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column in the log."""

    name: str
    type_oid: int
    modifier: int
    is_key: bool
    """Whether the column is part of the replica identity."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table in the log."""

    oid: int
    schema: str
    name: str
    identity: str
    """The replica identity, as in ``pg_class.relreplident``: ``d`` the primary key, ``i`` an index, ``f`` all columns, ``n`` none."""
    columns: tuple[RelationColumn, ...]

    @property
    def shown(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}"


def parse_relation(message: bytes) -> Relation:
    """Returns the table of a message of the kind ``R``."""
    oid = int.from_bytes(message[1:5], "big")
    schema, position = _text(message, 5)
    name, position = _text(message, position)
    identity = chr(message[position])
    count = int.from_bytes(message[position + 1 : position + 3], "big")
    position += 3
    columns = []
    for _ in range(count):
        flags = message[position]
        column, position = _text(message, position + 1)
        type_oid, modifier = struct.unpack_from(">Ii", message, position)
        position += 8
        columns.append(RelationColumn(column, type_oid, modifier, bool(flags & 1)))
    return Relation(oid, schema or "pg_catalog", name, identity, tuple(columns))


def truncated_oids(message: bytes) -> tuple[int, ...]:
    """Returns the oids of the tables of a message of the kind ``T``."""
    (count,) = struct.unpack_from(">I", message, 1)
    return struct.unpack_from(f">{count}I", message, 6)


def _text(message: bytes, start: int) -> tuple[str, int]:
    end = message.index(0, start)
    return message[start:end].decode(), end + 1
