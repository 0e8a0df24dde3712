"""The files that INSERT OVERWRITE, TRUNCATE TABLE and REPLACE TABLE may delete: files of a table format in the table's folder."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path, PurePath

from table_common.exceptions import TableRuntimeException
from table_runtime.formats import FILE_FORMATS, file_format
from table_runtime.formats.compression import EXTENSIONS

# Differs from Flink: INSERT OVERWRITE deletes files of the table's format only, and fails if there are other files; Flink deletes all files.
_SHOWN = 10
_ALIASES = {"json": ("jsonl", "ndjson"), "csv": ("tsv", "psv", "tbl"), "parquet": ("parq", "pq")}
"""Further file extensions of a format, as other systems use them."""
_COMPRESSED = frozenset((*(extension.lstrip(".") for extension in EXTENSIONS), "lz4", "snappy", "zstd"))
_WITHOUT_EXTENSION = re.compile(r"part-[^.]*|[0-9]{6}_[0-9]+[^.]*")
"""Names of data files that Flink, Spark and Hive write without an extension."""


def data_files(names: Sequence[str], format_: str | None, table: str) -> list[str]:
    """Returns the names, after checking that all are files of the format (None: of any known format).

    Raises:
    TableRuntimeException: some are not; the message lists them.
    """
    extensions = frozenset().union(*map(_extensions, FILE_FORMATS)) if format_ is None else _extensions(format_)
    foreign = [name for name in names if not _is_of(PurePath(name).name, extensions)]
    if foreign:
        kinds = "not of a table format" if format_ is None else f"not of the format '{format_}'"
        raise TableRuntimeException(
            f"Replacing the rows of the table at '{table}' would delete {len(foreign)} files that are {kinds}: {_listed(foreign)}. "
            "Nothing was changed.",
            hint="Delete them or move them elsewhere, or use a separate folder for the table.",
        )
    return list(names)


def check_removable(table: Path, names: Collection[str]) -> None:
    """Raises a ``TableRuntimeException`` if a file to delete is outside of the table's folder, because a folder is a symbolic link."""
    root = os.path.realpath(table)
    outside = []
    for folder in sorted({str(PurePath(name).parent) for name in names}):
        real = os.path.realpath(table / folder)
        if real != root and not real.startswith(root.rstrip("/") + "/"):
            outside.append(f"{folder} (which is '{real}')")
    if outside:
        raise TableRuntimeException(
            f"Replacing the rows of the table at '{table}' would delete files outside of its folder, through links: {_listed(outside)}. "
            "Nothing was changed.",
            hint="Remove the links, or create separate tables for the folders that they point to.",
        )


@cache
def _extensions(format_: str) -> frozenset[str]:
    # Other systems use the extension json for a format such as debezium-json.
    extension = format_ if format_ in FILE_FORMATS else file_format(format_).extension
    known = {extension, format_, *format_.split("-")}
    return frozenset(known | {alias for name in known for alias in _ALIASES.get(name, ())})


def _is_of(name: str, extensions: Collection[str]) -> bool:
    parts = name.lower().split(".")
    if len(parts) > 1 and parts[-1] in _COMPRESSED:
        parts.pop()
    return parts[-1] in extensions if len(parts) > 1 else _WITHOUT_EXTENSION.fullmatch(parts[0]) is not None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
