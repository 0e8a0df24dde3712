"""Checks the layout of an ORC file before Arrow reads it, because Arrow's reader may crash on a damaged file.

Checks the postscript and, if it is uncompressed or compressed with ZLIB, the footer: stripes must be inside of the file, and types must be
a tree. Of the stripes only dictionaries and lengths are checked, as far as a reader allocates memory by them; see ``orc.process`` for
untrusted files.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO

from table_runtime.formats.orc.lengths import LengthsEndError, bound_of_lengths

_MAGIC = b"ORC"
_NONE, _ZLIB = 0, 1
_MAX_FOOTER = 1 << 28
_DICTIONARIES, _VERSION_2 = (1, 3), (2, 3)
_LENGTH_STREAM = 2
_LIST, _MAP = 10, 11
_LARGEST_FILE = 1 << 28
"""Bytes of a file up to which the lengths in its stripes are checked."""
_PLAUSIBLE_SIZE = 1 << 28
_PLAUSIBLE_FACTOR = 64
"""A stripe is plausible if its values need at most ``_PLAUSIBLE_SIZE`` or, in a large file, this many bytes per byte of the file."""


class DamagedOrcError(ValueError):
    """The file is not an ORC file, or its layout is damaged."""


def check_layout(stream: IO[bytes]) -> bool:
    """Checks the layout of a file; returns whether its lengths are plausible: false if reading it may take memory out of all proportion.

    Raises:
    DamagedOrcError: the file is not ORC or is damaged.
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    if size < len(_MAGIC) + 1 or stream.read(len(_MAGIC)) != _MAGIC:
        raise DamagedOrcError("it does not begin with 'ORC'")
    stream.seek(size - 1)
    length = stream.read(1)[0]
    if length + 1 + len(_MAGIC) > size:
        raise DamagedOrcError("it is shorter than its postscript")
    stream.seek(size - 1 - length)
    postscript = _fields(stream.read(length), "postscript")
    numbers = {number: value for number, value in postscript if isinstance(value, int)}
    if dict(postscript).get(8000) != _MAGIC:
        raise DamagedOrcError("its postscript is damaged")
    footer, metadata, codec = numbers.get(1, 0), numbers.get(5, 0), numbers.get(2, _NONE)
    start = size - 1 - length - footer
    if not footer or start - metadata < len(_MAGIC) or footer > _MAX_FOOTER:
        raise DamagedOrcError("its postscript has a wrong length of the footer")
    is_plausible = True
    if codec in (_NONE, _ZLIB):
        stream.seek(start)
        data = stream.read(footer)
        fields = _fields(_plain(data, codec, "footer"), "footer")
        _check_footer(fields, start - metadata)
        is_plausible = size > _LARGEST_FILE or all(
            needed <= max(_PLAUSIBLE_SIZE, _PLAUSIBLE_FACTOR * size) for needed in _needed_sizes(stream, fields, codec)
        )
    stream.seek(0)
    return is_plausible


def _needed_sizes(stream: IO[bytes], footer: list[tuple[int, int | bytes]], codec: int) -> Iterator[int]:
    """Yields bounds of the bytes that the dictionaries, texts, lists and maps of the stripes need."""
    kinds = [dict(_fields(value, "type")).get(1, 0) for number, value in footer if number == 4 and isinstance(value, bytes)]
    for number, value in footer:
        if number != 3 or not isinstance(value, bytes):
            continue
        stripe = {key: item for key, item in _fields(value, "stripe") if isinstance(item, int)}
        start, content = stripe.get(1, 0), stripe.get(2, 0) + stripe.get(3, 0)
        stream.seek(start + content)
        stripe_footer = _fields(_plain(stream.read(stripe.get(4, 0)), codec, "stripe footer"), "stripe footer")
        encodings = [dict(_fields(item, "encoding")) for key, item in stripe_footer if key == 2 and isinstance(item, bytes)]
        position = 0
        for key, item in stripe_footer:
            if key != 1 or not isinstance(item, bytes):
                continue
            described = {name: entry for name, entry in _fields(item, "stream") if isinstance(entry, int)}
            column, length = described.get(2, 0), described.get(3, 0)
            if column >= len(kinds) or column >= len(encodings) or position + length > content:
                raise DamagedOrcError("a stream is outside of its stripe")
            if described.get(1, 0) == _LENGTH_STREAM:
                stream.seek(start + position)
                yield _needed_size(_plain(stream.read(length), codec, "stream of lengths"), encodings[column], kinds[column])
            position += length


def _needed_size(lengths: bytes, encoding: dict[int, int | bytes], kind: int | bytes) -> int:
    form, entries = encoding.get(1, 0), encoding.get(2, 0)
    try:
        count, total = bound_of_lengths(lengths, is_version_2=form in _VERSION_2)
    except LengthsEndError as error:
        raise DamagedOrcError("a stream of lengths ends within a run") from error
    if form in _DICTIONARIES and isinstance(entries, int) and entries > count:
        raise DamagedOrcError(f"a dictionary has {entries} entries, but lengths of {count}")
    return 8 * (total + count) if kind in (_LIST, _MAP) else total + 8 * count


def _check_footer(fields: list[tuple[int, int | bytes]], end: int) -> None:
    """Checks that the stripes are before ``end``, and that the types are a tree in which parents precede children."""
    rows = 0
    for number, value in fields:
        if number == 3 and isinstance(value, bytes):
            stripe = {key: item for key, item in _fields(value, "stripe") if isinstance(item, int)}
            offset, length = stripe.get(1, 0), stripe.get(2, 0) + stripe.get(3, 0) + stripe.get(4, 0)
            rows += stripe.get(5, 0)
            if offset < len(_MAGIC) or offset + length > end:
                raise DamagedOrcError("a stripe is outside of the file")
    declared = dict(fields).get(6, rows)
    if isinstance(declared, int) and declared != rows:
        raise DamagedOrcError(f"its footer has {declared} rows, but its stripes have {rows}")
    types = [_fields(value, "type") for number, value in fields if number == 4 and isinstance(value, bytes)]
    if not types:
        raise DamagedOrcError("its footer has no types")
    seen = {0}
    for parent, type_ in enumerate(types):
        for child in _children(type_):
            if not parent < child < len(types) or child in seen:
                raise DamagedOrcError("its types are not a tree")
            seen.add(child)
    if len(seen) != len(types):
        raise DamagedOrcError("its types are not a tree")


def _children(type_: list[tuple[int, int | bytes]]) -> Iterator[int]:
    for number, value in type_:
        if number == 2:
            if isinstance(value, int):
                yield value
                continue
            position = 0
            while position < len(value):
                child, position = _varint(value, position, "type")
                yield child


def _plain(data: bytes, codec: int, part: str) -> bytes:
    """Returns the bytes of a part of the file without compression."""
    return data if codec == _NONE else _inflated(data, part)


def _inflated(data: bytes, part: str) -> bytes:
    """Decompresses what is compressed with ZLIB."""
    parts: list[bytes] = []
    position = total = 0
    while position < len(data):
        header = int.from_bytes(data[position : position + 3], "little")
        block = data[position + 3 : position + 3 + (header >> 1)]
        if len(block) != header >> 1 or position + 3 > len(data):
            raise DamagedOrcError(f"its {part} ends within a block")
        position += 3 + len(block)
        if not header & 1:
            inflater = zlib.decompressobj(-15)
            try:
                block = inflater.decompress(block, _MAX_FOOTER - total + 1)
            except zlib.error as error:
                raise DamagedOrcError(f"its {part} cannot be decompressed: {error}") from error
        total += len(block)
        if total > _MAX_FOOTER:
            raise DamagedOrcError(f"its {part} is too large")
        parts.append(block)
    return b"".join(parts)


def _fields(data: bytes, part: str) -> list[tuple[int, int | bytes]]:
    """Parses a Protocol Buffers message to pairs (field number, value): integers, or bytes for fields with a length."""
    fields: list[tuple[int, int | bytes]] = []
    position = 0
    while position < len(data):
        tag, position = _varint(data, position, part)
        number, wire = tag >> 3, tag & 7
        value: int | bytes
        if wire == 0:
            value, position = _varint(data, position, part)
        elif wire in (1, 2, 5):
            if wire == 2:
                length, position = _varint(data, position, part)
            else:
                length = 8 if wire == 1 else 4
            value = data[position : position + length]
            if len(value) != length:
                raise DamagedOrcError(f"its {part} is damaged")
            position += length
        else:
            raise DamagedOrcError(f"its {part} is damaged")
        fields.append((number, value))
    return fields


def _varint(data: bytes, position: int, part: str) -> tuple[int, int]:
    result = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, position
        shift += 7
    raise DamagedOrcError(f"its {part} is damaged")
