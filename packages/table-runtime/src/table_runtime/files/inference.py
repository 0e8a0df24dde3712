"""Schema inference from the files of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import TypeVar
from urllib.parse import unquote

from table_common.exceptions import ValidationException
from table_common.factories import InferredSchema
from table_common.gate import current_gate
from table_common.types import ArrayType, DecimalType, LogicalType, RowField, RowType, VarCharType
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.patterns import is_pattern, matches_of
from table_runtime.files.remote import is_remote, remote_files
from table_runtime.files.snapshots import TableSnapshot
from table_runtime.formats import file_format
from table_runtime.formats.file_format import FileFormat

_T = TypeVar("_T")
_SAMPLED_BY_VALUES = 8
_SAMPLED_BY_FOOTERS = 64


def inferred_schema(path: str, format_: str, options: Mapping[str, str], partition_default_name: str) -> InferredSchema | None:
    """Returns the columns of the first file and those that only other files have, followed by its partition columns as text.

    If there are many files, some of them are looked at, the last among them.

    Returns None if a folder has no files, or if files of the format do not describe their columns.

    Raises:
        ValidationException: there is no such path, or no file that matches a pattern.
        TableRuntimeException: the file cannot be read.
    """
    if is_remote(path):
        return _of_files(remote_files(current_gate().url(path, WHERE)), format_, options)
    folders = [local_path(matched) for matched in (matches_of(path) if is_pattern(path) else (path,))]
    if not folders or not folders[0].exists():
        raise ValidationException(
            f"No file matches the path '{path}'." if is_pattern(path) else f"There is no file or folder at '{path}'.",
            hint="Relative paths begin in the working directory; a pattern has *, ?, [ab] or {a,b}. CREATE TABLE with columns needs no data yet.",
        )
    with ExitStack() as stack:
        snapshots = [stack.enter_context(TableSnapshot(folder)) for folder in (folders[0], *_sample(folders, _SAMPLED_BY_FOOTERS))]
        return _of_files([file for snapshot in snapshots for file in snapshot.files], format_, options)


def _of_files(files: Sequence[tuple[str, Path]], format_: str, options: Mapping[str, str]) -> InferredSchema | None:
    if not files:
        return None
    name, file = files[0]
    reader = file_format(format_)
    detected = dict(reader.detected_options(file, options))
    row_type = reader.infer_type(file, {**options, **detected})
    if row_type is None:
        return None
    row_type, differ = _with_columns_of_others(row_type, reader, files, {**options, **detected})
    if reader.infers_from_values and len(files) > 1:
        row_type = _with_texts_for_long_numbers(row_type)
    keys = [unquote(part.partition("=")[0]) for part in PurePath(name).parts[:-1] if "=" in part]
    columns = [field for field in row_type.fields if field.name not in keys]
    needed = {f"{format_}.{key}": value for key, value in detected.items()}
    if differ and reader.names_columns:
        needed["missing-columns"] = "null"
    return InferredSchema(RowType((*columns, *(RowField(key, VarCharType()) for key in keys)), nullable=False), tuple(keys), needed)


def _with_columns_of_others(
    row_type: RowType, reader: FileFormat, files: Sequence[tuple[str, Path]], options: Mapping[str, str]
) -> tuple[RowType, bool]:
    """Returns the columns of the first file and those that only others have, and whether files have different columns.

    Raises:
        ValidationException: another file has more columns, and the format needs the columns of a table in each file.
    """
    if not reader.finds_columns_by_name(options):
        return row_type, False
    columns = {field.name: field for field in row_type.fields}
    differ = False
    for _, file in _sample(files, _SAMPLED_BY_VALUES if reader.infers_from_values else _SAMPLED_BY_FOOTERS):
        other = reader.infer_type(file, options)
        if other is None:
            continue
        added = [field for field in other.fields if field.name not in columns]
        if added and reader.needs_all_columns:
            more = ", ".join(field.name for field in added)
            raise ValidationException(
                f"The file '{file}' has columns that the first file, '{files[0][1]}', has not: {more}.",
                hint="CREATE TABLE with columns, and the path of the files, names the columns to read from each",
            )
        differ |= bool(added) or len(other.fields) < len(columns)
        columns.update((field.name, RowField(field.name, field.type.with_nullability(True))) for field in added)
    return RowType(tuple(columns.values()), nullable=row_type.nullable), differ


def _sample(files: Sequence[_T], most: int) -> list[_T]:
    """Returns what comes after the first file, or some of it: evenly over all and with the last."""
    others = files[1:]
    return [others[position * (len(others) - 1) // (most - 1)] for position in range(most)] if len(others) > most else list(others)


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
