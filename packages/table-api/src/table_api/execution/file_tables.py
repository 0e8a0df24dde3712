"""Files as tables without CREATE TABLE: ``SELECT * FROM 'a.parquet'``, ``read_csv('a.csv')``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from table_api.catalog import CatalogManager
from table_api.execution.schema_inference import with_inferred_schema
from table_api.operations import ContextResolvedTable
from table_common.catalog import CatalogTable, ObjectIdentifier, Schema
from table_common.configuration import Configuration
from table_common.exceptions import ValidationException

_EXTENSIONS = {
    "csv": "csv",
    "tsv": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "parquet": "parquet",
    "orc": "orc",
    "avro": "avro",
}
_COMPRESSED = ("gz", "gzip", "bz2", "zst", "zstd", "xz", "deflate")
_NUMBERS = count(1)


def format_of(path: str) -> str:
    """Returns the format of a file by the extension of its name, before that of its compression.

    Raises:
        ValidationException: the extension is not that of a format.
    """
    parts = path.rstrip("/").rpartition("/")[2].lower().split(".")
    if len(parts) > 2 and parts[-1] in _COMPRESSED:
        parts.pop()
    found = _EXTENSIONS.get(parts[-1]) if len(parts) > 1 else None
    if found is None:
        raise ValidationException(
            f"The name '{path}' does not tell the format of the file. Known extensions: {', '.join(sorted(_EXTENSIONS))}.",
            hint="read_csv('…'), read_json('…'), read_parquet('…'), read_orc('…') and read_avro('…') read files of any name",
        )
    return found


def file_table(
    manager: CatalogManager, configuration: Configuration, format_: str | None, path: str, options: Mapping[str, str]
) -> ContextResolvedTable:
    """Returns the table of the files of a path or pattern, under a generated name; its columns are inferred.

    Raises:
        ValidationException: there is no such file, or an option is wrong.
        TableRuntimeException: the file cannot be read.
    """
    chosen = format_ if format_ is not None else format_of(path)
    identifier = ObjectIdentifier(manager.current_catalog, manager.current_database, f"*file_{next(_NUMBERS)}*")
    keys = {f"{chosen}.{key}": value for key, value in options.items()}
    described = CatalogTable(Schema.new_builder().build(), options={"connector": "filesystem", "format": chosen, "path": path, **keys})
    table = with_inferred_schema(described, identifier, True, configuration)
    resolved = manager.schema_resolver.resolve_table(table)
    if not resolved.resolved_schema.columns:
        raise ValidationException(
            f"There is no file with rows at '{path}'.",
            hint="relative paths begin in the working directory; a pattern has *, ?, [ab] or {a,b}",
        )
    return ContextResolvedTable(identifier, resolved, is_temporary=True, is_anonymous=True)
