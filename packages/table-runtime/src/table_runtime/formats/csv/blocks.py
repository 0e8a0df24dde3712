"""Splits a CSV file into blocks of whole records.

A block without quotes and escapes, or with quotes only at the beginning and end of fields, is split by counting quotes and marked as plain:
Arrow reads it as ``csv.records`` does. Other blocks are split by parsing their records.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, Self, cast

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.formats.compressed_files import decompressed
from table_runtime.formats.csv.plain_lines import complete_lines
from table_runtime.formats.csv.records import CsvDialect, read_records
from table_runtime.formats.lines import BYTE_ORDER_MARK, range_start

BLOCK_BYTES = 4 << 20


class CsvBlock(NamedTuple):
    """Bytes of whole records, and the number of lines of the range before them."""

    data: bytes
    lines_before: int
    plain: bool


def csv_blocks(path: Path, dialect: CsvDialect, byte_range: tuple[int, int] | None = None) -> Iterator[CsvBlock]:
    """Yields the decompressed blocks of a file, or of its records that start in a byte range (if no field has a line break).

    Raises:
        TableRuntimeException: the file cannot be read.
    """
    lines = 0
    for data, final in _chunks(path, byte_range, dialect.encoding):
        cut, plain = whole_records(data.content, dialect, final)
        if cut:
            yield CsvBlock(data.content[:cut], lines, plain)
            lines += count_lines(data.content[:cut])
        data.content = data.content[cut:]


def opened(path: Path, encoding: str) -> IO[bytes]:
    """Returns the decompressed file as UTF-8."""
    file = decompressed(path.open("rb"), path.name)
    return file if encoding == "utf-8" else cast("IO[bytes]", _Recoded(file, encoding))


class _Recoded:
    """A file in another encoding, read as UTF-8; bytes that are not text of the encoding are an error."""

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._first = True

    def read(self, size: int) -> bytes:
        while True:
            data = self._file.read(size)
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise OSError(f"it is not text of the encoding '{self._encoding}': {error.reason}") from error
            if text or not data:
                if self._first:  # a byte order mark is only at the beginning
                    text, self._first = text.removeprefix("\ufeff"), False
                if text or not data:
                    return text.encode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


class _Rest:
    """Bytes that were read and are not in a block yet."""

    __slots__ = ("content",)

    def __init__(self) -> None:
        self.content = b""


def _chunks(path: Path, byte_range: tuple[int, int] | None, encoding: str) -> Iterator[tuple[_Rest, bool]]:
    """Yields, after each read, the bytes that are not in a block yet, and whether the file has ended."""
    rest = _Rest()
    try:
        with opened(path, encoding) as file:
            position = range_start(file, byte_range)
            end = byte_range[1] if byte_range is not None else None
            first = True
            while True:
                # Doubles the size as long as no record ends: a quoted field may be long.
                size = max(BLOCK_BYTES, len(rest.content))
                more = file.read(size if end is None else max(min(size, end - position), 0))
                position += len(more)
                if end is not None and position >= end and more and not more.endswith(b"\n"):
                    more += file.readline()
                ended = not more
                if first:
                    more, first = more.removeprefix(BYTE_ORDER_MARK) if byte_range is None or not byte_range[0] else more, False
                rest.content += more
                if rest.content:
                    yield rest, ended
                if ended:
                    return
    except OSError as error:
        raise TableRuntimeException(f"The CSV file '{path}' cannot be read: {error}") from error


def whole_records(data: bytes, dialect: CsvDialect, final: bool) -> tuple[int, bool]:
    """Returns the end of the last complete record, and whether Arrow can read the records up to there."""
    if final:
        return len(data), is_plain(data, dialect)
    quote = dialect.quote.encode() if dialect.quote is not None else None
    end = _last_line_end(data, len(data))
    if quote is not None and end and data.count(quote, 0, end) % 2:
        end = _last_line_end(data, data.rfind(quote, 0, end))
    if end and is_plain(data[:end], dialect):
        return end, True
    lines_end = complete_lines(data, dialect)
    if lines_end is not None:
        return lines_end, False
    text = data.decode(errors="surrogateescape")
    last = 0
    for record in read_records(text, dialect, final=False):
        last = record.end
    return len(text[:last].encode(errors="surrogateescape")), False


def _last_line_end(data: bytes, before: int) -> int:
    """Returns the position after the last line end, 0 if there is none.

    A final carriage return is ignored, because a line feed may follow.
    """
    return max(data.rfind(b"\n", 0, before), data.rfind(b"\r", 0, min(before, len(data) - 1))) + 1


def is_plain(data: bytes, dialect: CsvDialect) -> bool:
    """Returns whether Arrow reads complete records as ``read_records`` does."""
    special = "".join(filter(None, (dialect.delimiter, dialect.quote, dialect.escape)))
    if not special.isascii() or (dialect.escape is not None and dialect.escape.encode() in data) or (dialect.comments and b"#" in data):
        return False
    if dialect.quote is None or dialect.quote.encode() not in data:
        return True
    # The pieces between quotes are alternately outside and inside of quoted text if each piece outside is empty (a doubled quote) or reaches
    # from the end of a field to the beginning of another one.
    pieces = pc.split_pattern(pa.array([data], type=pa.large_binary()), pattern=dialect.quote.encode()).values
    if len(pieces) % 2 == 0:
        return False
    border = f"[{re.escape(dialect.delimiter)}\r\n]"
    first, last = pieces[0].as_py(), pieces[len(pieces) - 1].as_py()
    edges = re.compile(border.encode())
    if (first and edges.fullmatch(first[-1:]) is None) or (last and edges.match(last) is None):
        return False
    between = pieces.take(pa.array(range(2, len(pieces) - 1, 2), type=pa.int64()))
    matches = pc.match_substring_regex(between, f"^(?s:{border}|{border}.*{border})?$")
    return pc.all(matches).as_py() is not False


def count_lines(data: bytes) -> int:
    """Returns the number of line ends."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
