"""Infers the types of dates and timestamps in JSON: Arrow infers timestamps from more forms of text than the format reads."""

from __future__ import annotations

import pyarrow as pa

from table_common.types import ArrayType, DateType, LocalZonedTimestampType, LogicalType, RowField, RowType, TimestampType, VarCharType
from table_runtime.formats.text_columns import converted
from table_runtime.formats.text_forms import TextForms

__all__ = ["with_readable_times"]

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
