"""Schema inference from the files of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from urllib.parse import unquote

from table_common.exceptions import ValidationException
from table_common.factories import InferredSchema
from table_common.types import ArrayType, DecimalType, LogicalType, RowField, RowType, VarCharType
from table_runtime.files.paths import local_path
from table_runtime.files.patterns import is_pattern, matches_of
from table_runtime.files.remote import is_remote, remote_files
from table_runtime.files.snapshots import TableSnapshot
from table_runtime.formats import file_format

__all__ = ["inferred_schema"]


def inferred_schema(path: str, format_: str, options: Mapping[str, str], partition_default_name: str) -> InferredSchema | None:
    """Returns the columns of the first file, followed by its partition columns as text.

    Returns None if a folder has no files, or if files of the format do not describe their columns.

    Raises:
        ValidationException: there is no such path, or no file that matches a pattern.
        TableRuntimeException: the file cannot be read.
    """
    if is_remote(path):
        return _of_first(remote_files(path), format_, options)
    folders = [local_path(matched) for matched in (matches_of(path) if is_pattern(path) else (path,))]
    if not folders or not folders[0].exists():
        raise ValidationException(
            f"No file matches the path '{path}'." if is_pattern(path) else f"There is no file or folder at '{path}'.",
            hint="Relative paths begin in the working directory; a pattern has *, ?, [ab] or {a,b}. CREATE TABLE with columns needs no data yet.",
        )
    with TableSnapshot(folders[0]) as snapshot:
        return _of_first(snapshot.files, format_, options)


def _of_first(files: Sequence[tuple[str, Path]], format_: str, options: Mapping[str, str]) -> InferredSchema | None:
    if not files:
        return None
    name, file = files[0]
    reader = file_format(format_)
    detected = reader.detected_options(file, options)
    row_type = reader.infer_type(file, {**options, **detected})
    if row_type is None:
        return None
    if reader.infers_from_values and len(files) > 1:
        row_type = _with_texts_for_long_numbers(row_type)
    keys = [unquote(part.partition("=")[0]) for part in PurePath(name).parts[:-1] if "=" in part]
    columns = [field for field in row_type.fields if field.name not in keys]
    return InferredSchema(
        RowType((*columns, *(RowField(key, VarCharType()) for key in keys)), nullable=False),
        tuple(keys),
        {f"{format_}.{key}": value for key, value in detected.items()},
    )


def _with_texts_for_long_numbers(row_type: RowType) -> RowType:
    """Returns the row type with STRING for DECIMAL(38, 0), at any depth: a number of another file may have a fraction, which would be rounded."""

    def changed(type_: LogicalType) -> LogicalType:
        match type_:
            case DecimalType(precision=38, scale=0):
                return VarCharType(nullable=type_.nullable)
            case ArrayType():
                return ArrayType(changed(type_.element_type), nullable=type_.nullable)
            case RowType():
                return RowType(tuple(RowField(field.name, changed(field.type)) for field in type_.fields), nullable=type_.nullable)
            case _:
                return type_

    whole = changed(row_type)
    assert isinstance(whole, RowType)
    return whole
