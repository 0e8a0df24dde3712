"""Corrects the types that Arrow infers from JSON.

Arrow infers timestamps from more forms of text than the format reads, and DOUBLE for whole numbers that do not fit into BIGINT.
"""

from __future__ import annotations

import re

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
from table_runtime.formats.text_columns import converted
from table_runtime.formats.text_forms import TextForms

__all__ = ["with_long_numbers", "with_readable_times"]

_EXPONENT = re.compile(rb"[:,\[]\s*-?[0-9.]+[eE]")
_BEYOND_BIGINT = 2.0**63
_MOST_DIGITS = 38
_CANDIDATES = (DateType(), TimestampType(3), LocalZonedTimestampType(3))


def with_readable_times(row_type: RowType, schema: pa.Schema, block: bytes, forms: TextForms) -> RowType:
    """Returns the row type of a block with types by which the format reads its dates and timestamps; STRING if there is none.

    ``schema`` is the one that Arrow infers. The types are at any depth.
    """
    from pyarrow._json import ParseOptions, ReadOptions, read_json

    explicit = pa.schema([field.with_type(_as_text(field.type)) for field in schema])
    if explicit.equals(schema):
        return row_type
    table = read_json(
        pa.BufferReader(block),
        read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
        parse_options=ParseOptions(explicit_schema=explicit),
    )
    columns = [pa.concat_arrays(table.column(field.name).chunks) for field in schema]
    fields = zip(row_type.fields, columns, strict=True)
    return RowType(tuple(RowField(field.name, _readable(column, field.type, forms)) for field, column in fields), nullable=False)


def with_long_numbers(row_type: RowType, table: pa.Table, block: bytes) -> RowType:
    """Returns the row type with DECIMAL for columns of whole numbers that BIGINT does not hold, so that they keep their digits."""
    names = [field.name for field in table.schema if pa.types.is_floating(field.type) and _are_long(table.column(field.name))]
    if not names or _EXPONENT.search(block) is not None:
        return row_type
    long = {name for name in names if _have_at_most_digits(block, name)}
    fields = (RowField(field.name, DecimalType(_MOST_DIGITS, 0)) if field.name in long else field for field in row_type.fields)
    return RowType(tuple(fields), nullable=False)


def _are_long(column: pa.ChunkedArray) -> bool:
    return pc.all(pc.equal(pc.floor(column), column)).as_py() is True and (pc.max(pc.abs(column)).as_py() or 0) >= _BEYOND_BIGINT


def _have_at_most_digits(block: bytes, name: str) -> bool:
    from pyarrow._json import ParseOptions, ReadOptions, read_json

    try:
        table = read_json(
            pa.BufferReader(block),
            read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
            parse_options=ParseOptions(explicit_schema=pa.schema([(name, pa.decimal256(76, 0))]), unexpected_field_behavior="ignore"),
        )
        table.column(name).cast(pa.decimal128(_MOST_DIGITS, 0))
    except pa.ArrowInvalid:  # a number with a point, or with more digits
        return False
    return True


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
        case ArrayType():
            return ArrayType(_readable(array.flatten(), type_.element_type, forms), nullable=type_.nullable)
        case RowType():
            fields = zip(type_.fields, array.flatten(), strict=True)
            return RowType(
                tuple(RowField(field.name, _readable(values, field.type, forms)) for field, values in fields), nullable=type_.nullable
            )
        case _:
            return type_
