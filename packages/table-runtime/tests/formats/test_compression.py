import bz2
import gzip
import io
import lzma
import random
import zlib
from collections.abc import Callable

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.compressed_files import compressed, decompressed
from table_runtime.formats.compression import compression_of

Compress = Callable[[bytes], bytes]
CODECS: list[tuple[str, Compress]] = [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("deflate", zlib.compress)]
LINES = b"".join(b"%d,%d\n" % (i, i * 7919 % 1013) for i in range(20_000))


def read(data: bytes, extension: str, size: int = -1) -> bytes:
    with decompressed(io.BytesIO(data), f"f.{extension}") as file:
        if size < 0:
            return file.read()
        pieces = []
        while piece := file.read(size):
            assert len(piece) <= size
            pieces.append(piece)
        return b"".join(pieces)


@pytest.mark.parametrize(("extension", "compress"), CODECS)
@pytest.mark.parametrize("size", [-1, 1_000, 100_000])
def test_streams_one_behind_the_other_are_read_as_one(extension: str, compress: Compress, size: int) -> None:
    assert read(compress(LINES) + compress(b"") + compress(LINES[:99]), extension, size) == LINES + LINES[:99]


@pytest.mark.parametrize(("extension", "compress"), CODECS)
@pytest.mark.parametrize("between", [b"\n", b"garbage", b"\1\0\0\0"])
def test_what_is_no_stream_behind_one_is_an_error(extension: str, compress: Compress, between: bytes) -> None:
    for data in (compress(LINES) + between, compress(LINES) + between + compress(LINES)):
        with pytest.raises(TableRuntimeException, match=r"The file 'f\.\w+' cannot be decompressed"):
            read(data, extension)


@pytest.mark.parametrize(("extension", "compress"), CODECS)
def test_a_later_stream_that_is_damaged_or_cut_is_an_error(extension: str, compress: Compress) -> None:
    first, second = compress(LINES), compress(LINES[:5_000])
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(20):
        with pytest.raises(TableRuntimeException):
            read(first + second[: chance.randrange(1, len(second) - 8)], extension)
    with pytest.raises(TableRuntimeException):
        read(first + second[1:], extension)


def test_zero_bytes_may_pad_the_streams_of_xz() -> None:
    assert read(lzma.compress(LINES) + bytes(4) + lzma.compress(b"x") + bytes(512), "xz") == LINES + b"x"
    with pytest.raises(TableRuntimeException):
        read(lzma.compress(LINES) + bytes(5), "xz")


@pytest.mark.parametrize(("extension", "compress"), CODECS)
def test_a_small_file_of_very_many_bytes_is_read_in_pieces(extension: str, compress: Compress) -> None:
    with decompressed(io.BytesIO(compress(bytes(50_000_000))), f"f.{extension}") as file:
        assert len(file.read(10)) == 10
        total = 10
        while piece := file.read(1 << 20):
            total += len(piece)
    assert total == 50_000_000


@pytest.mark.parametrize("extension", ["gz", "bz2", "xz", "deflate", "zst"])
def test_what_is_written_is_read_back(extension: str) -> None:
    sink = io.BytesIO()
    sink.close = lambda: None  # type: ignore[method-assign]  # the bytes are looked at afterwards
    with compressed(sink, f"f.{extension}") as file:
        file.write(LINES)
    assert read(sink.getvalue(), extension) == LINES
    assert compression_of(f"f.{extension}") is not None


def test_a_name_that_says_no_codec_is_read_as_it_is() -> None:
    assert read(LINES, "csv") == LINES
    assert compression_of("f.csv") is None
