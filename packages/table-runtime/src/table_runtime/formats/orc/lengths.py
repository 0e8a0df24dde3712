"""Bounds how much memory the lengths in an ORC file ask for, before Arrow reads them.

Texts, lists and maps have a stream of lengths, and Arrow allocates their sum before it reads what is inside. One wrong byte makes a length of
gigabytes. Runs of whole bytes are added up; of the others only the headers
are read, which tell how many lengths follow and how large those can be at most.
"""

from __future__ import annotations

from collections.abc import Iterator

_WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)
"""Bits of a value by the code in the header of a run."""
_SHORT_REPEAT, _DIRECT, _PATCHED = 0, 1, 2


class LengthsEndError(ValueError):
    """A stream of lengths ends within a run."""


def bound_of_lengths(data: bytes, *, is_version_2: bool) -> tuple[int, int]:
    """Returns the number of lengths in a decompressed stream, and a number that is not less than their sum.

    Raises:
        LengthsEndError: the stream ends within a run.
    """
    count = total = 0
    for length, bound in _runs_2(data) if is_version_2 else _runs_1(data):
        count += length
        total += bound
    return count, total


def _runs_2(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields the number of values and a bound of their sum for each run of version 2."""
    position = 0
    while position < len(data):
        first = data[position]
        kind = first >> 6
        if kind == _SHORT_REPEAT:
            start, position = position + 1, position + 2 + (first >> 3 & 7)
            length = (first & 7) + 3
            bound = length * int.from_bytes(data[start:position], "big")
        else:
            length = ((first & 1) << 8 | _byte(data, position + 1)) + 1
            code = first >> 1 & 31
            width = _WIDTHS[code]
            position += 2
            if kind == _DIRECT:
                start, position = position, position - (-width * length // 8)
                bound = length << width if width % 8 else _sum(data[start:position], width // 8)
            elif kind == _PATCHED:
                third, fourth = _byte(data, position), _byte(data, position + 1)
                base_bytes, patches = (third >> 5) + 1, fourth & 31
                patch_width, gap_width = _WIDTHS[third & 31], (fourth >> 5) + 1
                entry = next((bits for bits in _WIDTHS if bits >= patch_width + gap_width), 64)
                base = int.from_bytes(data[position + 2 : position + 2 + base_bytes], "big")
                position += 2 + base_bytes - (-width * length // 8) - (-entry * patches // 8)
                bound = length * (base + (1 << width)) + (patches << width + patch_width)
            else:
                base, position = _varint(data, position)
                delta, position = _varint(data, position)
                growth = 0 if delta & 1 else delta >> 1  # from one value to the next; an odd number is a negative one
                if code:
                    position += -(-width * (length - 2) // 8)
                    bound = length * (base + growth) + ((length * length // 2) << width)
                else:
                    bound = length * base + growth * (length * (length - 1) // 2)
        if position > len(data):
            raise LengthsEndError
        yield length, bound


def _runs_1(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields the number of values and a bound of their sum for each run of version 1."""
    position = 0
    while position < len(data):
        control = data[position]
        if control < 128:
            delta = _byte(data, position + 1)
            base, position = _varint(data, position + 2)
            length = control + 3
            yield length, length * (base + (length * delta if delta < 128 else 0))
        else:
            position += 1
            total = 0
            for _ in range(256 - control):
                value, position = _varint(data, position)
                total += value
            yield 256 - control, total


def _sum(data: bytes, size: int) -> int:
    """Returns the sum of numbers of ``size`` bytes each, the highest byte first."""
    return sum(sum(data[place::size]) << 8 * (size - 1 - place) for place in range(size))


def _byte(data: bytes, position: int) -> int:
    if position >= len(data):
        raise LengthsEndError
    return data[position]


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = _byte(data, position)
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, position
        shift += 7
