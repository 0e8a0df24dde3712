"""Container files of Avro: headers, blocks, codecs, and damage."""

from __future__ import annotations

import io
import json
import random
import re
from contextlib import suppress
from typing import Any

import fastavro
import pytest

from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_runtime.formats.avro.container import CODECS, ContainerReader, ContainerWriter

SCHEMA = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "string"}]}
SYNC = bytes(range(16))


def container(*blocks: tuple[int, bytes], codec: str = "null") -> bytes:
    file = io.BytesIO()
    writer = ContainerWriter(file, json.dumps(SCHEMA), codec, SYNC)
    for count, records in blocks:
        writer.block(count, records)
    return file.getvalue()


def read(data: bytes) -> list[tuple[int, bytes]]:
    reader = ContainerReader(io.BytesIO(data), "The file 'f'")
    return [(count, reader.decompressed(block)) for count, block in reader.blocks()]


BLOCKS = [(2, b"\x02a\x02b"), (1, b"\xc0\x9a\x0c" + b"x" * 100_000), (0, b"")]


@pytest.mark.parametrize("codec", CODECS)
def test_blocks_are_read_back(codec: str) -> None:
    assert read(container(*BLOCKS, codec=codec)) == BLOCKS


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_a_file_of_another_writer_is_read_and_one_of_ours_by_another_reader(codec: str) -> None:
    rows = [{"a": "x"}, {"a": "é" * 100}]
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(dict(SCHEMA)), rows, codec=codec)
    (block,) = read(file.getvalue())
    assert block[0] == 2
    assert list(fastavro.reader(io.BytesIO(container(block, codec=codec)))) == rows


def test_the_header_has_the_schema_and_the_codec() -> None:
    reader = ContainerReader(io.BytesIO(container(codec="deflate")), "f")
    assert (reader.schema, reader.codec) == (SCHEMA, "deflate")
    assert list(reader.blocks()) == []


def header(**metadata: bytes) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, {"type": "map", "values": "bytes"}, {key.replace("_", "."): value for key, value in metadata.items()})
    return b"Obj\x01" + file.getvalue() + SYNC


def test_a_header_without_a_codec_is_that_of_plain_blocks() -> None:
    assert ContainerReader(io.BytesIO(header(avro_schema=b'"int"')), "f").codec == "null"


@pytest.mark.parametrize(
    ("data", "error", "reason"),
    [
        (b"", TableRuntimeException, "is not an Avro container file"),
        (b"Obj\x02", TableRuntimeException, "is not an Avro container file"),
        (b"Obj\x01", TableRuntimeException, "has a damaged header"),
        (
            b"Obj\x01" + b"\xff" * 20,
            TableRuntimeException,
            "has a damaged header: at byte 4, the number of entries is truncated or no number",
        ),
        (b"Obj\x01\x02\x7f", TableRuntimeException, "has a damaged header: a key has -64 bytes, but only 0 follow"),
        (header(), TableRuntimeException, "has a damaged header: it has no 'avro.schema'"),
        (header(avro_schema=b"\xff"), TableRuntimeException, "has a damaged header: its 'avro.schema' is not UTF-8"),
        (header(avro_schema=b'"int"')[:-1], TableRuntimeException, "has a damaged header: it ends before its sync marker does"),
        (
            header(avro_schema=b'"int"', avro_codec=b"lzo"),
            TableRuntimeException,
            "is compressed by 'lzo'. Supported codecs: null, deflate",
        ),
        (header(avro_schema=b"{"), ValidationException, "is not an Avro schema: it is not JSON in line 1, column 2, at its end"),
        (header(avro_schema=b'"nosuch"'), ValidationException, "is not an Avro schema: it is of the type 'nosuch', which is not defined"),
    ],
)
def test_a_header_that_is_damaged_is_an_error_that_names_the_file(data: bytes, error: type[TableError], reason: str) -> None:
    with pytest.raises(error, match=reason) as failure:
        ContainerReader(io.BytesIO(data), "The file 'f'")
    assert "he file 'f'" in failure.value.message


def refusal(data: bytes) -> str | None:
    """Returns the message of the error that a damaged file ends in; None if its rows are read."""
    try:
        assert read(data) in ([], [(1, b"\x02a")])
    except TableError as error:
        return error.message
    return None


def test_a_header_with_any_byte_changed_ends_in_our_words() -> None:
    chance = random.Random(41)
    whole = container((1, b"\x02a"))
    end = whole.index(SYNC) + len(SYNC)
    damaged = [
        whole[:place] + bytes([byte]) + whole[place + 1 :] for place in range(end) for byte in (0, whole[place] ^ 1, chance.randrange(256))
    ]
    damaged += [whole[:place] for place in range(end)]
    messages = [message for data in damaged if (message := refusal(data))]
    assert len(messages) > end
    assert [message for message in messages if "he file 'f'" not in message] == []
    assert [message for message in messages if re.search(r"Error\b|codec can't|\bobject\b|NoneType|Expecting", message)] == []


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b"\x02", "block 2: the block is truncated"),
        (b"\x02\x08ab" + SYNC, "block 2: the block is truncated or damaged"),
        (b"\x02\x04ab" + SYNC[:-1], "block 2: the block is truncated or damaged"),
        (b"\x02\x04ab" + SYNC[::-1], "block 2: the block is truncated or damaged"),
        (b"\x01\x04ab" + SYNC, "block 2: the block is truncated or damaged"),
        (b"\x02\x03ab" + SYNC, "block 2: the block is truncated or damaged"),
        (b"\x02" + b"\xff" * 9 + b"\x01" + b"ab", "block 2: the block is truncated or damaged"),
        (b"\xff" * 200_000, "block 2: the block is truncated or damaged"),
    ],
)
def test_a_block_that_is_damaged_is_an_error_with_its_number(tail: bytes, reason: str) -> None:
    with pytest.raises(TableRuntimeException, match=f"^The file 'f', {reason}"):
        read(container((1, b"\x02a")) + tail)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "null"])
@pytest.mark.parametrize("block", [b"\xff" * 40, bytes(40), b"\xff\xff\xff\xff\x0f" + bytes(40)])
def test_a_block_that_cannot_be_decompressed_is_an_error(codec: str, block: bytes) -> None:
    reader = ContainerReader(io.BytesIO(container(codec=codec)), "The file 'f'")
    with pytest.raises(TableRuntimeException, match=f"^The file 'f' has a block that cannot be decompressed by {codec}"):
        reader.decompressed(block)


def test_a_wrong_checksum_of_snappy_is_an_error() -> None:
    data = bytearray(container((1, b"\x02a"), codec="snappy"))
    data[-17] ^= 1
    with pytest.raises(TableRuntimeException, match="the checksum is wrong"):
        read(bytes(data))


def test_any_byte_may_be_wrong() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(600):
        data: Any = bytearray(container((2, b"\x02a\x02b"), (1, b"\x02c"), codec=random_.choice(CODECS)))
        for _ in range(random_.choice([1, 1, 3])):
            data[random_.randrange(len(data))] = random_.randrange(256)
        with suppress(TableError):
            read(bytes(data[: random_.choice([len(data), random_.randrange(len(data))])]))
