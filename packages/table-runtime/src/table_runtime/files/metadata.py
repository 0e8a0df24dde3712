"""Metadata columns of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableInternalError

FILE_METADATA = ("file.path", "file.name", "file.size", "file.modification-time")
"""Metadata keys of every file."""


def file_metadata(path: Path, key: str) -> Any:
    """Returns the value of one of the keys that ``FileScanProvider`` lists, as an Arrow scalar.

    Raises:
        TableInternalError: the key is unknown.
    """
    match key:
        case "file.path":
            return pa.scalar(str(path), pa.string())
        case "file.name":
            return pa.scalar(path.name, pa.string())
        case "file.size":
            return pa.scalar(path.stat().st_size, pa.int64())
        case "file.modification-time":
            return pa.scalar(path.stat().st_mtime_ns // 1_000_000, pa.timestamp("ms", "UTC"))
        case _:
            raise TableInternalError(f"There is no metadata '{key}' of files.")
