"""Avro's container files: a header with the schema, then compressed blocks of records."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import zlib
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.avro.records import fastavro, parse_schema

_MAGIC = b"Obj\x01"
_METADATA = {"type": "map", "values": "bytes"}
CODECS = ("null", "deflate", "snappy", "bzip2", "xz", "zstandard")
_SNAPPY_RATIO = 64
"""The largest possible expansion per compressed byte: a Snappy element of three bytes copies at most 64 bytes."""


class ContainerReader:
    """Reads the header when created, and blocks lazily; ``where`` names the file in messages."""

    def __init__(self, file: IO[bytes], where: str) -> None:
        self._file = file
        self._where = where
        if file.read(4) != _MAGIC:
            raise TableRuntimeException(f"{where} is not an Avro container file: it does not begin with 'Obj' and the version 1.")
        metadata = self._metadata()
        self.codec = metadata.get("avro.codec", b"null").decode(errors="backslashreplace")
        if self.codec not in CODECS:
            raise TableRuntimeException(f"{where} is compressed by '{self.codec}'. Supported codecs: {', '.join(CODECS)}.")
        try:
            text = metadata["avro.schema"].decode()
        except KeyError:
            raise self._damaged_header("it has no 'avro.schema'") from None
        except UnicodeDecodeError:
            raise self._damaged_header("its 'avro.schema' is not UTF-8") from None
        self.schema: Any = parse_schema(text, f"The schema of {where[:1].lower()}{where[1:]}")
        self._sync = file.read(16)
        if len(self._sync) < 16:
            raise self._damaged_header("it ends before its sync marker does")

    def _metadata(self) -> dict[str, bytes]:
        """Reads the map of the header: blocks of entries, the last one without any."""
        metadata: dict[str, bytes] = {}
        while (count := self._header_number("the number of entries")) != 0:
            if count < 0:  # then the size of the block in bytes follows
                self._header_number("the size of the entries")
            for _ in range(abs(count)):
                key = self._header_bytes("a key").decode(errors="backslashreplace")
                metadata[key] = self._header_bytes(f"the value of '{key}'")
        return metadata

    def _header_bytes(self, what: str) -> bytes:
        size, rest = self._header_number(f"the length of {what}"), self._rest()
        if not 0 <= size <= rest:
            raise self._damaged_header(f"{what} has {size} bytes, but only {rest} follow")
        return self._file.read(size)

    def _header_number(self, what: str) -> int:
        position = self._file.tell()
        number = self._number(None)
        if number is None:
            raise self._damaged_header(f"at byte {position}, {what} is truncated or no number")
        return number

    def _damaged_header(self, reason: str) -> TableRuntimeException:
        return TableRuntimeException(f"{self._where} has a damaged header: {reason}.")

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yields the number of records and the compressed data of each block.

        Raises:
            TableRuntimeException: the file ends inside a block, or a block does not end with the sync marker.
        """
        number = 0
        while (first := self._file.read(1)) != b"":
            number += 1
            count = self._long(first[0], number)
            size = self._long(None, number)
            # Limited to the rest of the file: a damaged size could exhaust the memory.
            data = self._file.read(size) if 0 <= size <= self._rest() else b""
            if count < 0 or len(data) != size or self._file.read(16) != self._sync:
                raise TableRuntimeException(f"{self._where}, block {number}: the block is truncated or damaged.")
            yield count, data

    def decompressed(self, data: bytes) -> bytes:
        """Returns the decompressed records of a block."""
        try:
            return _decompress(self.codec, data)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
            raise TableRuntimeException(f"{self._where} has a block that cannot be decompressed by {self.codec}: {error}.") from error

    def _rest(self) -> int:
        """Returns the number of bytes after the current position."""
        position = self._file.tell()
        end = self._file.seek(0, io.SEEK_END)
        self._file.seek(position)
        return end - position

    def _long(self, first: int | None, block: int) -> int:
        number = self._number(first)
        if number is None:
            raise TableRuntimeException(f"{self._where}, block {block}: the block is truncated or damaged.")
        return number

    def _number(self, first: int | None) -> int | None:
        """Reads a number of at most 64 bits, whose first byte may have been read; None if the file ends in it, or it is longer."""
        value = 0
        for shift in range(0, 70, 7):
            if first is None:
                read = self._file.read(1)
                if not read:
                    return None
                first = read[0]
            value |= (first & 0x7F) << shift
            if not first & 0x80:
                return (value >> 1) ^ -(value & 1)
            first = None
        return None


class ContainerWriter:
    """Writes the header when created, then blocks."""

    def __init__(self, file: IO[bytes], schema: str, codec: str, sync: bytes) -> None:
        self._file = file
        self._codec = codec
        self._sync = sync
        header = io.BytesIO()
        fastavro().schemaless_writer(
            header, _METADATA, {"avro.schema": json.dumps(json.loads(schema)).encode(), "avro.codec": codec.encode()}
        )
        file.write(_MAGIC + header.getvalue() + sync)

    def block(self, count: int, records: bytes) -> None:
        """Adds a block."""
        data = _compress(self._codec, records)
        self._file.write(_encoded(count) + _encoded(len(data)) + data + self._sync)


def _encoded(value: int) -> bytes:
    number = (value << 1) ^ (value >> 63)
    parts = bytearray()
    while number & ~0x7F:
        parts.append((number & 0x7F) | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _decompress(codec: str, data: bytes) -> bytes:
    match codec:
        case "deflate":
            return zlib.decompress(data, -15)
        case "bzip2":
            return bz2.decompress(data)
        case "xz":
            return lzma.decompress(data)
        case "snappy":
            return _unsnapped(data)
        case "zstandard":
            return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())
        case _:
            return data


def _unsnapped(data: bytes) -> bytes:
    """Decompresses a Snappy block, which begins with its length as a varint and ends with a checksum."""
    length = shift = 0
    for byte in data:
        length |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
        shift += 7
    if length > _SNAPPY_RATIO * len(data):  # a damaged length would ask for all memory
        raise ValueError("the length is wrong")
    plain: bytes = pa.Codec("snappy").decompress(data[:-4], decompressed_size=length, asbytes=True)
    if zlib.crc32(plain) != int.from_bytes(data[-4:], "big"):
        raise ValueError("the checksum is wrong")
    return plain


def _compress(codec: str, data: bytes) -> bytes:
    match codec:
        case "deflate":
            deflate = zlib.compressobj(wbits=-15)
            return deflate.compress(data) + deflate.flush()
        case "bzip2":
            return bz2.compress(data)
        case "xz":
            return lzma.compress(data)
        case "snappy":
            packed: bytes = pa.Codec("snappy").compress(data, asbytes=True)
            return packed + zlib.crc32(data).to_bytes(4, "big")
        case "zstandard":
            sink = pa.BufferOutputStream()
            with pa.CompressedOutputStream(sink, "zstd") as stream:
                stream.write(data)
            return bytes(sink.getvalue().to_pybytes())
        case _:
            return data
