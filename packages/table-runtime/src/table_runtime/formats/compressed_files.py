"""Files that are compressed and decompressed while they are read and written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol, cast

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.formats.compression import compression_of

_READ_BYTES = 1 << 16
_MADE_BYTES = 1 << 20
"""Maximum bytes per decompression step: a small piece of a file may expand enormously."""
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)


def decompressed(file: IO[bytes], name: str) -> IO[bytes]:
    """Returns a file that decompresses ``file``; ``file`` itself if its name has no extension of a codec."""
    match compression_of(name):
        case "GZIP":
            return cast("IO[bytes]", _Checked(gzip.GzipFile(fileobj=file), name))
        case "BZIP2":
            return cast("IO[bytes]", _Checked(_Streams(file, bz2.BZ2Decompressor), name))
        case "XZ":
            return cast("IO[bytes]", _Checked(_Streams(file, _xz_stream, has_padding=True), name))
        case "DEFLATE":
            return cast("IO[bytes]", _Checked(_Streams(file, _Inflate), name))
        case "ZSTD":
            return cast("IO[bytes]", _Checked(pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"), name))
        case _:
            return file


def compressed(file: IO[bytes], name: str) -> IO[bytes]:
    """Returns a writable file that compresses with the codec of the name; closing it closes ``file``."""
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
    """Reads a file and names it in errors."""

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
        """Closes both files, even if the rest of the data cannot be written."""
        if self.closed:
            return
        try:
            self._inner.close()
        finally:
            try:
                self._below.close()
            finally:
                super().close()


class _Decompressor(Protocol):
    """Decompresses one stream; the data after it is ``unused_data``."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Inflate:
    """One zlib stream, with the interface of the decompressors of bz2 and lzma."""

    def __init__(self) -> None:
        self._codec = zlib.decompressobj()

    @property
    def eof(self) -> bool:
        return self._codec.eof

    @property
    def needs_input(self) -> bool:
        return not self._codec.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._codec.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._codec.decompress(self._codec.unconsumed_tail + data, max(0, max_length))


def _xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


class _Streams:
    """Reads all concatenated streams of a file, as parallel compressors write them.

    Data that is not a stream is an error. (``bz2.BZ2File`` and ``lzma.LZMAFile`` treat it as the end of the file, and lose the streams
    after it.)
    """

    def __init__(self, file: IO[bytes], make: Callable[[], _Decompressor], *, has_padding: bool = False) -> None:
        self._file = file
        self._make = make
        self._has_padding = has_padding
        self._codec: _Decompressor | None = make()
        self._input = b""
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        parts = [self._rest]
        length = len(self._rest)
        while size < 0 or length < size:
            part = self._next()
            if not part:
                break
            parts.append(part)
            length += len(part)
        data = b"".join(parts)
        end = len(data) if size < 0 else size
        self._rest = data[end:]
        return data[:end]

    def _next(self) -> bytes:
        """Returns the next bytes; none at the end of the file."""
        while True:
            if self._codec is None:
                if not self._begin():
                    return b""
                self._codec = self._make()
            if not self._input and self._codec.needs_input:
                self._input = self._file.read(_READ_BYTES)
            is_end = not self._input and self._codec.needs_input
            data = self._codec.decompress(self._input, _MADE_BYTES)  # also at the end of the input: zlib may still have output
            self._input = b""
            if self._codec.eof:
                self._input, self._codec = self._codec.unused_data, None
            elif is_end and not data:
                raise EOFError("the compressed data is truncated")
            if data:
                return data

    def _begin(self) -> bool:
        """Advances to the next stream; False if there is none. XZ allows zero bytes after streams, in multiples of four."""
        padding = 0
        while True:
            self._input = self._input or self._file.read(_READ_BYTES)
            following = self._input.lstrip(b"\0") if self._has_padding else self._input
            padding += len(self._input) - len(following)
            if following or not self._input:
                if padding % 4:
                    raise EOFError("the data after a compressed stream is not a stream")
                self._input = following
                return bool(following)
            self._input = b""

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
