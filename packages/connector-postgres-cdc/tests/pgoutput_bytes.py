"""Messages of pgoutput, made by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pyarrow as pa

Value = str | None | bytes
UNCHANGED = b"u"
"""A large value that an update did not change."""


def begin(lsn: int, xid: int = 700, time: int = 0) -> bytes:
    return b"B" + struct.pack(">qqI", lsn, time, xid)


def commit(lsn: int, end: int) -> bytes:
    return b"C" + struct.pack(">bqqq", 0, lsn, end, 0)


def relation(columns: Sequence[str], oid: int = 16400, name: str = "t", identity: str = "f") -> bytes:
    described = b"".join(b"\1" + column.encode() + b"\0" + struct.pack(">Ii", 25, -1) for column in columns)
    return (
        b"R"
        + struct.pack(">I", oid)
        + b"public\0"
        + name.encode()
        + b"\0"
        + identity.encode()
        + struct.pack(">h", len(columns))
        + described
    )


def row(values: Sequence[Value]) -> bytes:
    parts = [b"n" if value is None else value if isinstance(value, bytes) else b"t" + _text(value) for value in values]
    return struct.pack(">h", len(values)) + b"".join(parts)


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">i", len(encoded)) + encoded


def insert(values: Sequence[Value], oid: int = 16400) -> bytes:
    return b"I" + struct.pack(">I", oid) + b"N" + row(values)


def update(new: Sequence[Value], old: Sequence[Value] | None = None, tag: bytes = b"O", oid: int = 16400) -> bytes:
    return b"U" + struct.pack(">I", oid) + (tag + row(old) if old is not None else b"") + b"N" + row(new)


def delete(old: Sequence[Value], tag: bytes = b"O", oid: int = 16400) -> bytes:
    return b"D" + struct.pack(">I", oid) + tag + row(old)


def truncate(*oids: int) -> bytes:
    return b"T" + struct.pack(f">Ib{len(oids)}I", len(oids), 0, *oids)


def messages(*parts: bytes) -> pa.Array:
    return pa.array(parts, pa.binary())
