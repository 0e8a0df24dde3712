"""Converts CSV fields to values of the column's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException
from table_common.types import ArrayType, BinaryStringType, CharacterType, LogicalType, RowType
from table_runtime.formats import csv_options as opt
from table_runtime.formats.text_columns import parse_column
from table_runtime.formats.text_forms import CSV
from table_runtime.formats.text_values import parser_of

__all__ = ["parse_field", "parts_of", "refuse_types"]


def refuse_types(row_type: RowType) -> None:
    """Raises ``TableException`` if a column's type has no text form."""
    for field in row_type.fields:
        try:
            for inner in parts_of(field.type) or (field.type,):
                parser_of(inner)
        except KeyError as error:
            raise TableException(f"The format 'csv' does not support column '{field.name}' of the type {error.args[0]}.") from None


def parts_of(type_: LogicalType) -> tuple[LogicalType, ...]:
    """Returns the types of the elements of a collection type; empty for other types."""
    if isinstance(type_, ArrayType):
        return (type_.element_type,)
    return type_.field_types if isinstance(type_, RowType) else ()


def parse_field(column: pa.Array, type_: LogicalType, config: ReadableConfig, ignore: bool) -> tuple[pa.Array, tuple[int, str, str] | None]:
    """Returns the values of a field's texts, and the first failure; see ``parse_column``."""
    if isinstance(type_, ArrayType | RowType):
        return _parse_parts(column, type_, config, ignore)
    if not _may_be_empty(type_):
        # Differs from Flink: an empty field is NULL if it is not a value of the type, so that written files can be read.
        column = pc.if_else(pc.equal(column, pa.scalar("")), pa.scalar(None, pa.string()), column)
    return parse_column(column, type_, CSV, ignore_errors=ignore)


def _may_be_empty(type_: LogicalType) -> bool:
    return isinstance(type_, CharacterType | BinaryStringType)


def _parse_parts(
    column: pa.Array, type_: ArrayType | RowType, config: ReadableConfig, ignore: bool
) -> tuple[pa.Array, tuple[int, str, str] | None]:
    delimiter = config.get(opt.ARRAY_ELEMENT_DELIMITER)
    parsers = [_part_parser(part, config.get(opt.NULL_LITERAL), ignore) for part in parts_of(type_)]
    values: list[Any] = []
    failure: tuple[int, str, str] | None = None
    for position, text in enumerate(column.to_pylist()):
        if text is None:
            values.append(None)
            continue
        items = text.split(delimiter) if text else []
        try:
            if isinstance(type_, ArrayType):
                values.append([parsers[0](item) for item in items])
            else:
                values.append(_row(items, type_, parsers, ignore))
        except ValueError as error:
            values.append(None)
            if failure is None and not ignore:
                failure = (position, text, str(error))
    return pa.array(values, type=to_arrow_type(type_)), failure


def _row(items: list[str], type_: RowType, parsers: list[Callable[[str], Any]], ignore: bool) -> dict[str, Any] | None:
    if not items:
        return None
    width = len(parsers)
    # Differs from Flink: more elements than the row has fields are an error; Flink ignores them.
    if len(items) > width or (len(items) < width and not ignore):
        raise ValueError(f"it has {len(items)} elements, but the row has {width} fields")
    read = [parse(item) for parse, item in zip(parsers, items, strict=False)]
    return dict(zip(type_.field_names, read + [None] * (width - len(read)), strict=True))


def _part_parser(type_: LogicalType, null: str | None, ignore: bool) -> Callable[[str], Any]:
    parse, keeps_empty = parser_of(type_, CSV), _may_be_empty(type_)

    def run(text: str) -> Any:
        if text == null or (not text and not keeps_empty):
            return None
        if not ignore:
            return parse(text)
        try:
            return parse(text)
        except ValueError:
            return None

    return run
