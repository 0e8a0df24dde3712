"""The fields of CSV to values: what stands in one field, by the type of its column."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException
from table_common.types import ArrayType, CharacterType, LogicalType, RowType
from table_runtime.formats import csv_options as opt
from table_runtime.formats.text_values import parse_column, parser_of

__all__ = ["parse_field", "parts_of", "refuse_types"]


def refuse_types(row_type: RowType) -> None:
    """Raises ``TableException`` if a column's type has no text."""
    for field in row_type.fields:
        try:
            _leaf_parsers(field.type)
        except KeyError as error:
            raise TableException(f"The format 'csv' has no text for column '{field.name}' of the type {error.args[0]}.") from None


def _leaf_parsers(type_: LogicalType) -> None:
    for inner in parts_of(type_) or (type_,):
        parser_of(inner)


def parts_of(type_: LogicalType) -> tuple[LogicalType, ...]:
    """Returns the types of the values that stand in one field of this type."""
    if isinstance(type_, ArrayType):
        return (type_.element_type,)
    return type_.field_types if isinstance(type_, RowType) else ()


def parse_field(column: pa.Array, type_: LogicalType, config: ReadableConfig, ignore: bool) -> tuple[pa.Array, tuple[int, str, str] | None]:
    """Returns the values of a field's texts, and where the first text is that is none; see ``parse_column``."""
    if not isinstance(type_, ArrayType | RowType):
        if not isinstance(type_, CharacterType):
            # Differs from Flink: an empty field is NULL where it cannot be a value, so that what was written can be read.
            column = pc.if_else(pc.equal(column, pa.scalar("")), pa.scalar(None, pa.string()), column)
        return parse_column(column, type_, ignore_errors=ignore)
    delimiter = config.get(opt.ARRAY_ELEMENT_DELIMITER)
    parts = parts_of(type_)
    parsers = [parser_of(part) for part in parts]
    null = config.get(opt.NULL_LITERAL)
    values: list[Any] = []
    failure: tuple[int, str, str] | None = None
    for position, text in enumerate(column.to_pylist()):
        if text is None:
            values.append(None)
            continue
        items = text.split(delimiter) if text else []
        try:
            if isinstance(type_, ArrayType):
                values.append([None if item == null else parsers[0](item) for item in items])
            else:
                items += [None] * (len(parts) - len(items))
                read = [None if item is None or item == null else parse(item) for item, parse in zip(items, parsers, strict=True)]
                values.append(dict(zip(type_.field_names, read, strict=True)))
        except ValueError as error:
            values.append(None)
            if failure is None and not ignore:
                failure = (position, text, str(error))
    return pa.array(values, type=to_arrow_type(type_)), failure
