"""The footers of Parquet files, read once until the file changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.connector.source import ColumnStats

MOST_FOOTERS = 2_000
"""Footers that are kept; the least recently used ones are dropped."""

FileVersion = tuple[str, int, int, int]
"""A file as it is now: path, inode, size, and time of the last change in nanoseconds."""


def file_version(path: Path) -> FileVersion:
    """Returns what identifies a file and its content.

    Raises:
        OSError: the file does not exist.
    """
    status = path.stat()
    return str(path), status.st_ino, status.st_size, status.st_mtime_ns


class Footer:
    """The metadata of one Parquet file: ``rows``, and ``columns`` by name with their positions in row groups."""

    def __init__(self, metadata: Any) -> None:
        self.metadata = metadata
        self.rows: int = metadata.num_rows
        schema = metadata.schema
        # A field inside a row has a dotted path; a column with a dot in its name has no other meaning for statistics.
        self.columns = {schema.column(index).path: index for index in range(metadata.num_columns)}
        self._stats: dict[str, ColumnStats | None] = {}

    def column(self, name: str, compute: Callable[[Footer, str], ColumnStats | None]) -> ColumnStats | None:
        """Returns the statistics of a column, computed at the first call."""
        if name not in self._stats:
            self._stats[name] = compute(self, name)
        return self._stats[name]


_footers: OrderedDict[FileVersion, Footer] = OrderedDict()
_lock = threading.Lock()


def footer_of(path: Path) -> Footer:
    """Returns the footer of a Parquet file.

    Raises:
        OSError: the file cannot be read.
        pyarrow.ArrowException: the file is not Parquet.
    """
    version = file_version(path)
    with _lock:
        found = _footers.get(version)
        if found is not None:
            _footers.move_to_end(version)
            return found
    from pyarrow._parquet import ParquetReader  # the module pyarrow.parquet imports much that planning never needs

    with path.open("rb") as file:
        reader = ParquetReader()
        reader.open(pa.PythonFile(file, "r"))
        made = Footer(reader.metadata)
    with _lock:
        _footers[version] = made
        while len(_footers) > MOST_FOOTERS:
            _footers.popitem(last=False)
    return made
