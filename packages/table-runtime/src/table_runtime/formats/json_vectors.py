"""Parses blocks of JSON lines with Arrow's parser, if it gives exactly the values of the line parser."""

from __future__ import annotations

import re

import pyarrow as pa

from table_common.arrow import compute as pc
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
from table_runtime.formats.text_columns import parse_column
from table_runtime.formats.text_forms import JSON_SQL, TextForms
from table_runtime.formats.text_values import wide_decimal

__all__ = ["VectorParser", "lines_that_look_like_objects"]

_NO_NUMBERS = re.compile(rb"[:,\[]\s*-?(?:NaN|Inf)")
"""Words that Arrow parses as numbers, but that are not JSON."""
_AS_TEXT = (DateType, TimeType, TimestampType, LocalZonedTimestampType)
"""Types that are text in JSON and are converted after parsing."""


class VectorParser:
    """Parses blocks into columns."""

    def __init__(self, row_type: RowType, schema: pa.Schema, forms: TextForms) -> None:
        self._row_type = row_type
        self._schema = schema
        self._forms = forms

    @classmethod
    def of(cls, row_type: RowType, forms: TextForms = JSON_SQL) -> VectorParser | None:
        """Returns the parser of a row type, or None if Arrow does not parse one of its types exactly."""
        if not row_type.fields:
            return None
        types = [_json_type(field.type, top=True) for field in row_type.fields]
        if any(type_ is None for type_ in types):
            return None
        return cls(row_type, pa.schema(list(zip(row_type.field_names, types, strict=True))), forms)

    def parse(self, block: bytes) -> list[pa.Array] | None:
        """Returns the columns, or None if the lines must be parsed one by one."""
        from pyarrow._json import ParseOptions, ReadOptions, read_json

        objects = lines_that_look_like_objects(block)
        if objects is None:
            return None
        try:
            table = read_json(
                pa.BufferReader(block),
                read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
                parse_options=ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="ignore"),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            return None
        if table.num_rows != objects:
            return None
        columns = []
        for field in self._row_type.fields:
            column = table.column(field.name)
            array = concat_arrays(column.chunks, column.type)
            if isinstance(field.type, _AS_TEXT):
                array, failure = parse_column(array, field.type, self._forms)
                if failure is not None:
                    return None
            try:
                columns.append(array.cast(to_arrow_type(field.type)))
            except pa.ArrowInvalid:  # a decimal with too many digits
                return None
        return columns


def lines_that_look_like_objects(block: bytes) -> int | None:
    """Returns the number of lines that are not empty, or None if one of them does not begin and end with a brace.

    If Arrow finds the same number of rows, each line is exactly one object, because no object contains a line break between ``}`` and
    ``{``.
    """
    if (b"NaN" in block or b"Inf" in block) and _NO_NUMBERS.search(block):
        return None
    if not block.isascii():
        try:
            block.decode()  # Arrow's parser does not check for UTF-8
        except UnicodeDecodeError:
            return None
    count = block.count(b"\n")
    inner = block.count(b"}\n{")
    if block.startswith(b"{") and block.endswith(b"}\n" if inner == count - 1 else b"}") and inner >= count - 1:
        return inner + 1
    lines = pc.ascii_trim_whitespace(
        pc.split_pattern(pa.array([block], type=pa.large_binary()).cast(pa.large_string()), pattern="\n").values
    )
    lines = lines.filter(pc.not_equal(lines, ""))
    whole_objects = pc.and_(pc.starts_with(lines, "{"), pc.ends_with(lines, "}"))
    return len(lines) if pc.all(whole_objects).as_py() is not False else None


def _json_type(type_: LogicalType, *, top: bool = False) -> pa.DataType | None:
    match type_:
        case BooleanType() | CharacterType() | FloatType() | DoubleType():
            return to_arrow_type(type_)
        case DecimalType():
            return wide_decimal(type_)
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
