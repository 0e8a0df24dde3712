"""The serialized form of bitmaps."""

from __future__ import annotations

import pytest

from table_runtime.roaring import decode, encode


@pytest.mark.parametrize("values", [set(), {0, 65536, 2**32 - 1}, set(range(5000)), {3 * number for number in range(30000)}])
def test_a_bitmap_survives_its_bytes(values: set[int]) -> None:
    assert decode(encode(values)) == values


def test_a_bitmap_with_runs_is_read() -> None:
    # One container of one run: 10, 11, 12.
    data = bytes.fromhex("3b300000010000020001000a000200")
    assert decode(data) == {10, 11, 12}


def test_negative_numbers_are_their_unsigned_pattern() -> None:
    assert decode(encode([-1, -(2**31), 5, 5])) == {2**32 - 1, 2**31, 5}


def test_the_bytes_are_those_of_the_portable_format() -> None:
    assert encode([1, 65536]).hex() == "3a3000000200000000000000010000001800000" + "01a00000001000000"


@pytest.mark.parametrize("values", [{1, 2, 70000}, set(range(5000))])
def test_truncated_bytes_are_refused(values: set[int]) -> None:
    data = encode(values)
    for size in {0, 3, 4, 7, 9, 13, len(data) // 2, len(data) - 1}:
        with pytest.raises(ValueError, match="not a serialized bitmap"):
            decode(data[:size])


@pytest.mark.parametrize("data", [b"\0" * 8, bytes.fromhex("3a300000ffffffff"), b"not a bitmap at all"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a serialized bitmap"):
        decode(data)
