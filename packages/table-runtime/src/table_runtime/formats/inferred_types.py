"""Infers column types from the Arrow types of files."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import from_arrow_schema
from table_common.exceptions import TableException
from table_common.types import RowType


def inferred_row(schema: pa.Schema, where: str) -> RowType:
    """Returns a row type with nullable columns; a column of unknown type is STRING.

    Raises:
        TableException: a column's type has no SQL type.
    """
    fields = [pa.field(field.name, _supported_type(field.type)) for field in schema]
    try:
        return from_arrow_schema(pa.schema(fields))
    except Exception as error:
        raise TableException(f"The columns of {where} cannot be inferred: {error}.", hint="Name the columns in CREATE TABLE.") from error


def _supported_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_null(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_):
        return pa.string()
    if pa.types.is_large_binary(type_) or pa.types.is_binary_view(type_):
        return pa.binary()
    if pa.types.is_dictionary(type_):
        return _supported_type(type_.value_type)
    if pa.types.is_timestamp(type_):
        unit = {"s": "ms"}.get(type_.unit, type_.unit)
        return pa.timestamp(unit, type_.tz)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
        return pa.list_(_supported_type(type_.value_type))
    if pa.types.is_map(type_):
        return pa.map_(_supported_type(type_.key_type), _supported_type(type_.item_type))
    if pa.types.is_struct(type_):
        return pa.struct([pa.field(field.name, _supported_type(field.type)) for field in type_])
    unsigned = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.decimal128(20, 0)}
    return unsigned.get(type_, type_)
