"""Compressed files: by their names when they are read, by an option when they are written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Mapping
from typing import IO, Any, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ConfigOptions
from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException

__all__ = ["COMPRESSION", "EXTENSIONS", "compressed", "compressed_extension", "compression_extension", "compression_of", "decompressed"]

COMPRESSION = (
    ConfigOptions.key("compression")
    .enum_type("NONE", "GZIP", "BZIP2", "ZSTD", "XZ", "DEFLATE")
    .default_value("NONE")
    .with_description("How files are compressed when they are written. Files are read by their extension: .gz, .bz2, .zst, .xz, .deflate.")
)
EXTENSIONS = {"gz": "GZIP", "gzip": "GZIP", "bz2": "BZIP2", "zst": "ZSTD", "zstd": "ZSTD", "xz": "XZ", "deflate": "DEFLATE"}
"""File name extensions to codecs."""
_WRITTEN = {"GZIP": "gz", "BZIP2": "bz2", "ZSTD": "zst", "XZ": "xz", "DEFLATE": "deflate"}
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)


def compression_of(name: str) -> str | None:
    """Returns the codec that a file's name says, or None."""
    return EXTENSIONS.get(name.rpartition(".")[2].lower())


def compression_extension(options: Mapping[str, str]) -> str:
    """Returns what the option adds to the names of files, with its dot; nothing for none."""
    extension = _WRITTEN.get(str(options.get(COMPRESSION.key, "NONE")).upper())
    return f".{extension}" if extension else ""


def compressed_extension(provider: FileSinkProvider) -> str:
    """Returns what the names of a sink's files end with, if they are compressed as a whole: columnar formats compress inside."""
    return "" if provider.format in ("avro", "orc", "parquet") else compression_extension(provider.format_options)


def decompressed(file: IO[bytes], name: str) -> IO[bytes]:
    """Returns a file that reads what the compressed one contains; the file itself if its name says no codec."""
    match compression_of(name):
        case "GZIP":
            return cast("IO[bytes]", _Checked(gzip.GzipFile(fileobj=file), name))
        case "BZIP2":
            return cast("IO[bytes]", _Checked(bz2.BZ2File(file), name))
        case "XZ":
            return cast("IO[bytes]", _Checked(lzma.LZMAFile(file), name))
        case "DEFLATE":
            return cast("IO[bytes]", _Checked(_Inflating(file), name))
        case "ZSTD":
            return cast("IO[bytes]", _Checked(pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"), name))
        case _:
            return file


def compressed(file: IO[bytes], name: str) -> IO[bytes]:
    """Returns a file to write into that compresses as the name says; closing it closes the file below."""
    match compression_of(name):
        case "GZIP":
            return cast("IO[bytes]", _Closing(gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0), file))
        case "BZIP2":
            return cast("IO[bytes]", _Closing(bz2.BZ2File(file, "wb"), file))
        case "XZ":
            return cast("IO[bytes]", _Closing(lzma.LZMAFile(file, "wb"), file))
        case "DEFLATE":
            return cast("IO[bytes]", _Closing(_Deflating(file), file))
        case "ZSTD":
            return cast("IO[bytes]", _Closing(pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd"), file))
        case _:
            return file


class _Checked(io.RawIOBase):
    """Reads, and says which file is broken."""

    def __init__(self, inner: Any, name: str) -> None:
        super().__init__()
        self._inner = inner
        self._name = name

    @override
    def readable(self) -> bool:
        return True

    @override
    def read(self, size: int | None = -1) -> bytes:
        size = -1 if size is None else size
        try:
            data: bytes = self._inner.read(size) if size >= 0 else self._inner.read()
        except _BROKEN as error:
            raise TableRuntimeException(f"The file '{self._name}' cannot be decompressed: {error}") from error
        return data

    @override
    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    @override
    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


class _Closing(io.RawIOBase):
    def __init__(self, inner: Any, below: IO[bytes]) -> None:
        super().__init__()
        self._inner = inner
        self._below = below

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, data: Any) -> int:
        self._inner.write(data)
        return len(data)

    @override
    def close(self) -> None:
        """Closes both, also when what is left cannot be written."""
        if self.closed:
            return
        try:
            self._inner.close()
        finally:
            try:
                self._below.close()
            finally:
                super().close()


class _Inflating:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._codec = zlib.decompressobj()
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        parts = [self._rest]
        length = len(self._rest)
        while (size < 0 or length < size) and not self._codec.eof:
            fed = self._file.read(1 << 16)
            if not fed:
                raise EOFError("it ends too early")
            parts.append(self._codec.decompress(fed))
            length += len(parts[-1])
        data = b"".join(parts)
        end = len(data) if size < 0 else size
        self._rest = data[end:]
        return data[:end]

    def close(self) -> None:
        self._file.close()


class _Deflating:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._codec = zlib.compressobj()

    def write(self, data: bytes) -> None:
        self._file.write(self._codec.compress(data))

    def close(self) -> None:
        self._file.write(self._codec.flush())
