"""Where the parts of an ORC file lie: damaged files are errors that name the file, and never end the process."""

from __future__ import annotations

import random
import zlib
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.orc import layout as orc_layout
from table_runtime.formats.orc.layout import DamagedOrcError, check_layout

COLUMNS = {"id": "INT", "s": "STRING", "r": "ROW<a INT, l ARRAY<STRING>>"}
ROWS = [(number, f"text {number}", {"a": number, "l": ["x", None]}) for number in range(100)]


@pytest.fixture(params=["NONE", "ZLIB"])
def data(files: Any, request: pytest.FixtureRequest) -> bytes:
    files.write_bytes("orc", COLUMNS, ROWS, compress=request.param)
    content: bytes = files.path.read_bytes()
    return content


def test_a_whole_file_passes(data: bytes) -> None:
    check_layout(BytesIO(data))


def test_a_file_that_is_cut_is_refused(data: bytes) -> None:
    for length in (0, 3, 10, len(data) // 2, len(data) - 1):
        with pytest.raises(DamagedOrcError):
            check_layout(BytesIO(data[:length]))


def test_any_byte_of_the_footer_may_be_wrong(data: bytes) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(2000):
        changed = bytearray(data)
        for _ in range(random_.choice([1, 1, 3])):
            changed[-random_.randrange(1, 200)] = random_.randrange(256)
        with suppress(DamagedOrcError):
            check_layout(BytesIO(bytes(changed)))


def test_a_stripe_outside_of_the_file_is_refused(files: Any) -> None:
    files.write_bytes("orc", {"a": "INT"}, [(1,)], compress="NONE")
    content = files.path.read_bytes()
    with pytest.raises(DamagedOrcError, match="a stripe is outside of the file"):
        check_layout(BytesIO(content[:3] + content[20:]))


def test_the_error_names_the_file(files: Any, data: bytes) -> None:
    files.path.write_bytes(b"XXX" + data[3:])
    with pytest.raises(TableRuntimeException, match=f"The ORC file '{files.path}' cannot be read: it does not begin with 'ORC'"):
        files.read("orc", COLUMNS)


def varint(number: int) -> bytes:
    """Returns a number as Protocol Buffers write it."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def message(*fields: tuple[int, int | bytes]) -> bytes:
    return b"".join(
        varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )


def orc_file(footer: bytes, *, codec: int = 0, footer_length: int | None = None, magic: bytes = b"ORC") -> BytesIO:
    """Returns a file without stripes."""
    length = len(footer) if footer_length is None else footer_length
    postscript = message((1, length), (2, codec), (8000, magic))
    return BytesIO(b"ORC" + footer + postscript + bytes([len(postscript)]))


TREE = ((4, message((2, 1), (2, 2))), (4, message((1, 3))), (4, message((1, 7))))
"""The types of a row of two columns."""


def test_a_file_without_stripes_is_whole() -> None:
    stream = orc_file(message(*TREE, (6, 0)))
    check_layout(stream)
    assert stream.tell() == 0


@pytest.mark.parametrize(
    ("footer", "reason"),
    [
        (b"", "its postscript has a wrong length of the footer"),
        (message((6, 0)), "its footer has no types"),
        (message(*TREE, (6, 5)), "its footer has 5 rows, but its stripes have 0"),
        (message((4, message((2, 1)))), "its types are not a tree"),
        (message((4, message((2, 0)))), "its types are not a tree"),
        (message((4, message((2, 1), (2, 1))), (4, b"")), "its types are not a tree"),
        (message((4, b""), (4, b"")), "its types are not a tree"),
        (message((4, message((2, bytes([1, 0x80])))), (4, b"")), "its type is damaged"),
        (message(*TREE, (3, message((1, 3), (2, 1 << 40)))), "a stripe is outside of the file"),
        (message(*TREE, (3, message((1, 2)))), "a stripe is outside of the file"),
        (message(*TREE)[:-1], "its footer is damaged"),
        (b"\x23\x01", "its footer is damaged"),
        (b"\xff" * 12, "its footer is damaged"),
    ],
)
def test_a_footer_that_says_what_cannot_be_is_refused(footer: bytes, reason: str) -> None:
    with pytest.raises(DamagedOrcError, match=reason):
        check_layout(orc_file(footer))


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (orc_file(message(*TREE), footer_length=1 << 40), "its postscript has a wrong length of the footer"),
        (orc_file(message(*TREE), magic=b"ORX"), "its postscript is damaged"),
        (BytesIO(b"ORC\xff"), "it is shorter than its postscript"),
        (BytesIO(b"PAR1"), "it does not begin with 'ORC'"),
        (orc_file(b"\x09\0\0ab", codec=1), "its footer ends within a block"),
        (orc_file(b"\x04\0\0\xff\xff", codec=1), "its footer cannot be decompressed"),
    ],
)
def test_a_postscript_or_a_block_that_is_damaged_is_refused(stream: BytesIO, reason: str) -> None:
    with pytest.raises(DamagedOrcError, match=reason):
        check_layout(stream)


def test_the_children_of_a_type_may_be_packed() -> None:
    check_layout(orc_file(message((4, message((2, b"\x01\x02"))), (4, b""), (4, b""))))


def test_a_footer_that_inflates_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orc_layout, "_MAX_FOOTER", 1000)
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(bytes(100_000)) + packer.flush()
    with pytest.raises(DamagedOrcError, match="its footer is too large"):
        check_layout(orc_file((len(packed) << 1).to_bytes(3, "little") + packed, codec=1))


def test_a_footer_of_another_codec_is_not_looked_at() -> None:
    check_layout(orc_file(b"whatever this is", codec=2))
