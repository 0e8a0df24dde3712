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
from table_runtime.formats.csv import options as opt
from table_runtime.formats.text.columns import converted, parse_column
from table_runtime.formats.text.forms import CSV
from table_runtime.formats.text.values import parser_of


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
    null = config.get(opt.NULL_LITERAL)
    if isinstance(type_, ArrayType):
        values, failed = _arrays(column, type_, delimiter, null)
    else:
        values, failed = _rows(column, type_, delimiter, null, ignore)
    if failed is None or ignore:
        return values, None
    text = column[failed].as_py()
    try:
        items = text.split(delimiter)
        if isinstance(type_, RowType):
            _require_width(len(items), len(type_.fields), ignore)
        parts = parts_of(type_)
        for number, item in enumerate(items):
            _part_parser(parts[0] if isinstance(type_, ArrayType) else parts[number], null)(item)
    except ValueError as error:
        return values, (failed, text, str(error))
    raise AssertionError(f"{text!r} is a value of the type {type_.summary()}")


def _arrays(column: pa.Array, type_: ArrayType, delimiter: str, null: str | None) -> tuple[pa.Array, int | None]:
    """Returns the arrays, whose elements are NULL if they cannot be read, and the position of the first one with such an element."""
    # Text without characters has no elements.
    lists = pc.split_pattern(pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column), pattern=delimiter)
    elements, failures = _parts(lists.flatten(), type_.element_type, null)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(pc.fill_null(pc.list_value_length(lists), 0))])
    arrow_type = to_arrow_type(type_)
    arrays = pa.ListArray.from_arrays(offsets, elements, type=arrow_type, mask=pc.is_null(column) if column.null_count else None)
    return arrays, None if failures is None else pc.take(pc.list_parent_indices(lists), failures[:1])[0].as_py()


def _rows(column: pa.Array, type_: RowType, delimiter: str, null: str | None, ignore: bool) -> tuple[pa.Array, int | None]:
    """Returns the rows, whose fields are NULL if they cannot be read, and the position of the first one with such a field."""
    width = len(type_.fields)
    texts = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    lists = pc.split_pattern(texts, pattern=delimiter)
    lengths = pc.list_value_length(lists)
    # Differs from Flink: more elements than the row has fields are an error; Flink ignores them.
    readable = pc.fill_null(pc.less_equal(lengths, width) if ignore else pc.equal(lengths, width), False)
    wrong = pc.indices_nonzero(pc.and_(pc.is_valid(texts), pc.invert(readable)))
    failed = [wrong[0].as_py()] if len(wrong) else []
    starts = pc.subtract(pc.cumulative_sum(pc.fill_null(lengths, 0)), lengths)
    elements = lists.flatten()
    fields = []
    for number, field in enumerate(type_.fields):
        is_there = pc.and_(readable, pc.greater(lengths, number))
        items = pc.take(elements, pc.if_else(is_there, pc.add(starts, number), pa.scalar(None, pa.int32())))
        values, failures = _parts(items, field.type, null)
        fields.append(values)
        if failures is not None:
            failed.append(failures[0].as_py())
    arrow_type = to_arrow_type(type_)
    rows = pa.StructArray.from_arrays(fields, fields=list(arrow_type), mask=pc.invert(readable))
    return rows, min(failed, default=None)


def _parts(texts: pa.Array, type_: LogicalType, null: str | None) -> tuple[pa.Array, pa.Array | None]:
    nulls = [text for text in (null, None if _may_be_empty(type_) else "") if text is not None]
    if nulls:
        texts = pc.if_else(pc.is_in(texts, value_set=pa.array(nulls, pa.string())), pa.scalar(None, pa.string()), texts)
    return converted(texts, type_, CSV)


def _require_width(count: int, width: int, ignore: bool) -> None:
    if count > width or (count < width and not ignore):
        raise ValueError(f"it has {count} elements, but the row has {width} fields")


def _part_parser(type_: LogicalType, null: str | None) -> Callable[[str], Any]:
    parse, keeps_empty = parser_of(type_, CSV), _may_be_empty(type_)
    return lambda text: None if text == null or (not text and not keeps_empty) else parse(text)
