"""Whole blocks of JSON lines by Arrow's parser, where it reads values exactly as the line parser does."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.types import (
    ArrayType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    RowType,
    TimestampType,
    TimeType,
)
from table_runtime.batches import concat_arrays
from table_runtime.formats.text_values import parse_column

__all__ = ["VectorParser"]

_AS_TEXT = (DateType, TimeType, TimestampType, LocalZonedTimestampType)
"""Types that are text in JSON and are converted here."""


class VectorParser:
    """Parses blocks into columns."""

    def __init__(self, row_type: RowType, schema: pa.Schema) -> None:
        self._row_type = row_type
        self._schema = schema

    @classmethod
    def of(cls, row_type: RowType) -> VectorParser | None:
        """Returns the parser of a row, or None if a type is not one that Arrow reads exactly."""
        if not row_type.fields:
            return None
        types = [_json_type(field.type, top=True) for field in row_type.fields]
        if any(type_ is None for type_ in types):
            return None
        return cls(row_type, pa.schema(list(zip(row_type.field_names, types, strict=True))))

    def parse(self, block: bytes) -> list[pa.Array] | None:
        """Returns the columns, or None if a line must be looked at one by one."""
        from pyarrow._json import ParseOptions, ReadOptions, read_json

        try:
            table = read_json(
                pa.BufferReader(block),
                read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
                parse_options=ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="ignore"),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            return None
        columns = []
        for field in self._row_type.fields:
            column = table.column(field.name)
            array = concat_arrays(column.chunks, column.type)
            if isinstance(field.type, _AS_TEXT):
                array, failure = parse_column(array, field.type)
                if failure is not None:
                    return None
            columns.append(array)
        return columns


def _json_type(type_: LogicalType, *, top: bool = False) -> pa.DataType | None:
    match type_:
        case BooleanType() | CharacterType() | FloatType() | DoubleType() | DecimalType():
            return to_arrow_type(type_)
        case DateType() | TimeType() | TimestampType() | LocalZonedTimestampType():
            return pa.string() if top else None
        case ArrayType():
            element = _json_type(type_.element_type)
            return None if element is None else pa.list_(element)
        case RowType():
            fields = [(field.name, _json_type(field.type)) for field in type_.fields]
            return None if any(inner is None for _, inner in fields) else pa.struct(fields)
        case _:
            arrow_type = to_arrow_type(type_)
            return arrow_type if pa.types.is_integer(arrow_type) else None
