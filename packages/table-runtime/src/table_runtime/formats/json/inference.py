"""Corrects the types that Arrow infers from JSON.

Arrow infers timestamps from more forms of text than the format reads, and DOUBLE for whole numbers that do not fit into BIGINT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import (
    ArrayType,
    DateType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    RowField,
    RowType,
    TimestampType,
    VarCharType,
)
from table_runtime.formats.text.columns import converted
from table_runtime.formats.text.forms import TextForms

_EXPONENT = re.compile(rb"[:,\[]\s*-?[0-9.]+[eE]")
_FRACTION_OF_TIME = re.compile(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}[.][0-9]')
"""Matches times that Arrow takes for texts."""
_BEYOND_BIGINT = 2.0**63
_MOST_DIGITS = 38
_CANDIDATES = (DateType(), TimestampType(3), LocalZonedTimestampType(3))


def has_timestamps(type_: LogicalType | None) -> bool:
    """Returns whether a type is, or has at any depth, a timestamp."""
    match type_:
        case TimestampType() | LocalZonedTimestampType():
            return True
        case ArrayType():
            return has_timestamps(type_.element_type)
        case RowType():
            return any(has_timestamps(field.type) for field in type_.fields)
        case _:
            return False


def with_readable_times(row_type: RowType, schema: pa.Schema, block: bytes, forms: TextForms) -> RowType:
    """Returns the row type of a block with types by which the format reads its dates and timestamps; STRING if there is none.

    ``schema`` is the one that Arrow infers. The types are at any depth.
    """
    from pyarrow._json import ParseOptions, ReadOptions, read_json

    explicit = pa.schema([field.with_type(_as_text(field.type)) for field in schema])
    if explicit.equals(schema) and _FRACTION_OF_TIME.search(block) is None:
        return row_type
    table = read_json(
        pa.BufferReader(block),
        read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
        parse_options=ParseOptions(explicit_schema=explicit),
    )
    columns = [pa.concat_arrays(table.column(field.name).chunks) for field in schema]
    fields = zip(row_type.fields, columns, strict=True)
    return RowType(tuple(RowField(field.name, _readable(column, field.type, forms)) for field, column in fields), nullable=False)


def with_long_numbers(row_type: RowType, table: pa.Table, block: bytes, *, complete: bool) -> RowType:
    """Returns the row type with DECIMAL for whole numbers that BIGINT does not hold, at any depth, so that they keep their digits.

    If the block is not the complete table, the type is STRING: a later number may have a fraction, which DECIMAL(38, 0) would round.
    """
    paths = [path for position, field in enumerate(table.schema) for path in _float_paths(field.type, (position,))]
    long = [path for path in paths if _are_long(_values_at(table, path))]
    if not long or _EXPONENT.search(block) is not None:
        return row_type
    type_ = DecimalType(_MOST_DIGITS, 0) if complete else VarCharType()
    fields = list(row_type.fields)
    for path in long:
        if _have_at_most_digits(block, table.schema, path):
            field = fields[path[0]]
            fields[path[0]] = RowField(field.name, _with_type_at(field.type, path[1:], type_))
    return RowType(tuple(fields), nullable=False)


_Path = tuple[int, ...]
"""The position of a column, then that of a field in each row around a value; the elements of an array are at position 0."""


def _float_paths(type_: pa.DataType, path: _Path) -> Iterator[_Path]:
    if pa.types.is_floating(type_):
        yield path
    elif pa.types.is_struct(type_) or pa.types.is_list(type_):
        for position, field in enumerate([type_.value_field] if pa.types.is_list(type_) else type_):
            yield from _float_paths(field.type, (*path, position))


def _values_at(table: pa.Table, path: _Path) -> pa.Array:
    column = table.column(path[0])
    array = pa.concat_arrays(column.chunks)
    for position in path[1:]:
        array = array.flatten() if pa.types.is_list(array.type) else array.flatten()[position]
    return array


def _with_type_at(type_: LogicalType, path: _Path, new: LogicalType) -> LogicalType:
    if not path:
        return new
    if isinstance(type_, ArrayType):
        return ArrayType(_with_type_at(type_.element_type, path[1:], new), nullable=type_.nullable)
    assert isinstance(type_, RowType)
    fields = [
        RowField(field.name, _with_type_at(field.type, path[1:], new)) if position == path[0] else field
        for position, field in enumerate(type_.fields)
    ]
    return RowType(tuple(fields), nullable=type_.nullable)


def _are_long(values: pa.Array) -> bool:
    return pc.all(pc.equal(pc.floor(values), values)).as_py() is True and (pc.max(pc.abs(values)).as_py() or 0) >= _BEYOND_BIGINT


def _have_at_most_digits(block: bytes, schema: pa.Schema, path: _Path) -> bool:
    """Returns whether all values at the path are whole numbers that DECIMAL holds."""
    from pyarrow._json import ParseOptions, ReadOptions, read_json

    field = schema.field(path[0])
    explicit = pa.schema([field.with_type(_with_decimal_at(field.type, path[1:]))])
    try:
        table = read_json(
            pa.BufferReader(block),
            read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
            parse_options=ParseOptions(explicit_schema=explicit, unexpected_field_behavior="ignore"),
        )
        _values_at(table, (0, *path[1:])).cast(pa.decimal128(_MOST_DIGITS, 0))
    except pa.ArrowInvalid:  # a number with a point, or with more digits
        return False
    return True


def _with_decimal_at(type_: pa.DataType, path: _Path) -> pa.DataType:
    if not path:
        return pa.decimal256(76, 0)
    if pa.types.is_list(type_):
        return pa.list_(_with_decimal_at(type_.value_type, path[1:]))
    fields = [
        field.with_type(_with_decimal_at(field.type, path[1:])) if position == path[0] else field for position, field in enumerate(type_)
    ]
    return pa.struct(fields)


def _as_text(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(type_):
        return pa.string()
    if pa.types.is_list(type_):
        return pa.list_(_as_text(type_.value_type))
    return pa.struct([field.with_type(_as_text(field.type)) for field in type_]) if pa.types.is_struct(type_) else type_


def _readable(array: pa.Array, type_: LogicalType, forms: TextForms) -> LogicalType:
    match type_:
        case TimestampType():
            return next((candidate for candidate in _CANDIDATES if converted(array, candidate, forms)[1] is None), VarCharType())
        case VarCharType():
            return _time_of_texts(array.drop_null(), forms) or type_
        case ArrayType():
            return ArrayType(_readable(array.flatten(), type_.element_type, forms), nullable=type_.nullable)
        case RowType():
            fields = zip(type_.fields, array.flatten(), strict=True)
            return RowType(
                tuple(RowField(field.name, _readable(values, field.type, forms)) for field, values in fields), nullable=type_.nullable
            )
        case _:
            return type_


def _time_of_texts(texts: pa.Array, forms: TextForms) -> LogicalType | None:
    """Returns the type of texts that are times, some of them with a fraction; None if they are other texts."""
    if not len(texts) or not pa.types.is_string(texts.type) or re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]", texts[0].as_py()) is None:
        return None
    fractions = pc.struct_field(pc.extract_regex(texts, r"[.](?P<digits>[0-9]+)Z?$"), "digits")
    digits = pc.max(pc.binary_length(fractions)).as_py() or 0
    precision = next((known for known in (3, 6, 9) if digits <= known), None)
    if precision is None:
        return None
    candidates = (TimestampType(precision), LocalZonedTimestampType(precision))
    return next((candidate for candidate in candidates if converted(texts, candidate, forms)[1] is None), None)
