"""Finds the files of a Spark table, if other engines can read them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

from table_common.connector import FileScanProvider
from table_common.exceptions import ValidationException
from table_common.factories import FormatFactory
from table_common.types import RowType

_FORMATS = ("csv", "json", "orc", "parquet")
_CSV_OPTIONS = {
    "delimiter": "field-delimiter",
    "escape": "escape-character",
    "nullvalue": "null-literal",
    "quote": "quote-character",
    "sep": "field-delimiter",
}
"""Spark's options of CSV to those of the format ``csv``."""
_HARMLESS = {"serialization.format", "path", "compression", "header"}


def files_of(options: Mapping[str, str], row_type: RowType, keys: Sequence[str]) -> FileScanProvider | str:
    """Returns the files of a table, or the reason why only Spark can read it.

    Args:
        options: the table's options, from the catalog ``spark``.
        row_type: all columns of the table.
        keys: the partition columns.
    """
    if options.get("type") == "VIEW":
        return "it is a view of Spark, whose query is Spark's SQL"
    provider, location = options.get("provider", ""), options.get("location")
    if provider.lower() not in _FORMATS:
        return f"its provider is '{provider or 'none'}'; files of {', '.join(_FORMATS)} can be read without Spark"
    if location is None:
        return "it has no location"
    format_options = _format_options(provider.lower(), options)
    if isinstance(format_options, str):
        return format_options
    try:
        FormatFactory.discover(provider.lower())
    except ValidationException as error:
        return error.message.rstrip(".")
    folder = _local(location)
    if keys and folder is None:
        return f"its partitions are in '{location}', which is not a local folder"
    path = str(folder) if folder is not None else location
    stored = RowType(tuple(field for field in row_type.fields if field.name not in keys), nullable=False)
    # Spark's ALTER TABLE ADD COLUMNS leaves files as they are.
    return FileScanProvider((path,), provider.lower(), stored, row_type, format_options, tuple(keys), nulls_for_missing_columns=True)


def _format_options(provider: str, options: Mapping[str, str]) -> dict[str, str] | str:
    format_options: dict[str, str] = {}
    for key, value in options.items():
        name = key.removeprefix("option.").lower()
        if not key.startswith("option.") or (name in _HARMLESS and not (name == "header" and value.lower() == "true")):
            continue
        if provider == "csv" and name in _CSV_OPTIONS:
            format_options[_CSV_OPTIONS[name]] = value
        else:
            return f"its option '{name}' = '{value}' has no equivalent outside Spark"
    return format_options


def _local(location: str) -> Path | None:
    parts = urlparse(location)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        return None
    path = Path(unquote(parts.path))
    return path if os.path.isabs(path) else None
