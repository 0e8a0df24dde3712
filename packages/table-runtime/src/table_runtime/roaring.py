"""The portable serialization format of Roaring bitmaps, which are sets of 32-bit unsigned integers."""

from __future__ import annotations

import struct
from collections.abc import Iterable

_COOKIE = 12346
_COOKIE_WITH_RUNS = 12347
_ARRAY_LIMIT = 4096
_BITMAP_BYTES = 8192
_NO_OFFSET_THRESHOLD = 4


def encode(values: Iterable[int]) -> bytes:
    """Serializes a set; negative numbers are encoded as their unsigned 32-bit pattern."""
    containers: dict[int, set[int]] = {}
    for value in values:
        unsigned = value & 0xFFFFFFFF
        containers.setdefault(unsigned >> 16, set()).add(unsigned & 0xFFFF)
    keys = sorted(containers)
    header = struct.pack("<II", _COOKIE, len(keys)) + b"".join(struct.pack("<HH", key, len(containers[key]) - 1) for key in keys)
    bodies = [_encode_container(containers[key]) for key in keys]
    offset = len(header) + 4 * len(keys)
    offsets = []
    for body in bodies:
        offsets.append(offset)
        offset += len(body)
    return header + struct.pack(f"<{len(offsets)}I", *offsets) + b"".join(bodies)


def _encode_container(values: set[int]) -> bytes:
    if len(values) <= _ARRAY_LIMIT:
        return struct.pack(f"<{len(values)}H", *sorted(values))
    bits = bytearray(_BITMAP_BYTES)
    for value in values:
        bits[value >> 3] |= 1 << (value & 7)
    return bytes(bits)


def decode(data: bytes) -> set[int]:
    """Deserializes a set of numbers from 0 to 2^32 - 1.

    Raises:
        ValueError: the bytes are not a bitmap.
    """
    try:
        return _decode(data)
    except (struct.error, IndexError) as error:
        raise ValueError("the bytes are not a serialized bitmap") from error


def _decode(data: bytes) -> set[int]:
    (cookie,) = struct.unpack_from("<I", data, 0)
    position = 4
    run_flags = b""
    if cookie & 0xFFFF == _COOKIE_WITH_RUNS:
        count = (cookie >> 16) + 1
        run_flags = data[position : position + (count + 7) // 8]
        position += len(run_flags)
    elif cookie == _COOKIE:
        (count,) = struct.unpack_from("<I", data, position)
        position += 4
    else:
        raise ValueError("the bytes are not a serialized bitmap")
    if count > 65536:
        raise ValueError("the bytes are not a serialized bitmap")
    descriptors = [struct.unpack_from("<HH", data, position + 4 * index) for index in range(count)]
    position += 4 * count
    if not run_flags or count >= _NO_OFFSET_THRESHOLD:
        position += 4 * count
    result: set[int] = set()
    for index, (key, cardinality) in enumerate(descriptors):
        is_run = bool(run_flags) and run_flags[index >> 3] >> (index & 7) & 1
        values, position = _decode_container(data, position, cardinality + 1, bool(is_run))
        result.update(key << 16 | value for value in values)
    return result


def _decode_container(data: bytes, position: int, cardinality: int, is_run: bool) -> tuple[Iterable[int], int]:
    if is_run:
        (runs,) = struct.unpack_from("<H", data, position)
        pairs = [struct.unpack_from("<HH", data, position + 2 + 4 * index) for index in range(runs)]
        return [value for start, length in pairs for value in range(start, start + length + 1)], position + 2 + 4 * runs
    if cardinality <= _ARRAY_LIMIT:
        return struct.unpack_from(f"<{cardinality}H", data, position), position + 2 * cardinality
    bits = data[position : position + _BITMAP_BYTES]
    if len(bits) < _BITMAP_BYTES:
        raise ValueError("the bytes are not a serialized bitmap")
    return [value for value in range(65536) if bits[value >> 3] >> (value & 7) & 1], position + _BITMAP_BYTES
