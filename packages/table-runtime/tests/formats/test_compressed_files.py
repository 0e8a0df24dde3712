from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.compression import compression_extension


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue().to_pybytes())


CODECS = [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("deflate", zlib.compress), ("zst", zstd)]


@pytest.mark.parametrize(("extension", "compress"), CODECS)
@pytest.mark.parametrize(("format_", "text"), [("json", '{"a":1}\n{"a":2}\n'), ("csv", "1\n2\n"), ("debezium-json", "")])
def test_files_are_read_by_their_extension(
    files: Any, tmp_path: Path, extension: str, compress: Callable[[bytes], bytes], format_: str, text: str
) -> None:
    files.path = tmp_path / f"f.{extension}"
    files.path.write_bytes(compress(text.encode()))
    assert files.read(format_, {"a": "INT"}) == ([(1,), (2,)] if text else [])


@pytest.mark.parametrize("codec", ["GZIP", "BZIP2", "XZ", "DEFLATE", "ZSTD"])
@pytest.mark.parametrize("format_", ["json", "csv"])
def test_what_is_written_compressed_is_read_back(files: Any, tmp_path: Path, codec: str, format_: str) -> None:
    files.path = tmp_path / ("f" + compression_extension({"compression": codec}))
    writer_rows = [(number,) for number in range(2000)]
    files.write_bytes(format_, {"a": "INT"}, writer_rows)
    assert files.read(format_, {"a": "INT"}) == writer_rows


@pytest.mark.parametrize("extension", ["gz", "bz2", "xz", "deflate", "zst"])
def test_a_file_that_is_not_compressed_as_it_says_is_named(files: Any, tmp_path: Path, extension: str) -> None:
    files.path = tmp_path / f"f.{extension}"
    with pytest.raises(TableRuntimeException, match=rf"f.{extension}' cannot be (decompressed|read)"):
        files.read("json", {"a": "INT"}, "no such thing")
