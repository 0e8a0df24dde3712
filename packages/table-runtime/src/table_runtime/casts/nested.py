"""Casts of arrays, maps and rows: element by element, and to text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import (
    ArrayType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
)

CastFunction = Callable[[Any, LogicalType, LogicalType], Any]
TextFunction = Callable[[Any, LogicalType], Any]


def compact(values: Any) -> Any:
    """Returns an equal list, map or struct array without an offset and without child elements of NULL values."""
    return pc.take(values, pa.arange(0, len(values))) if len(values) else pa.array([], values.type)


def entry_types(logical_type: LogicalType) -> tuple[LogicalType, LogicalType]:
    """Returns the key and value types of a map; for a multiset, the element type and INT."""
    if isinstance(logical_type, MapType):
        return logical_type.key_type, logical_type.value_type
    assert isinstance(logical_type, MultisetType)
    return logical_type.element_type, IntType(nullable=False)


def children_of_struct(values: Any) -> list[Any]:
    """Returns the fields of a struct array; they are NULL where the struct is NULL."""
    return [pc.struct_field(values, [index]) for index in range(values.type.num_fields)]


def cast_elements(values: Any, source: LogicalType, target: LogicalType, cast: CastFunction) -> Any:
    """Casts the elements of arrays, the keys and values of maps and multisets, or the fields of rows, by position."""
    arrow_type = to_arrow_type(target)
    values = compact(values)
    mask = pc.is_null(values)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        elements = cast(values.values, source.element_type, target.element_type)
        return pa.ListArray.from_arrays(values.offsets, elements, type=arrow_type, mask=mask)
    if isinstance(source, MapType | MultisetType):
        (from_key, from_value), (to_key, to_value) = entry_types(source), entry_types(target)
        keys, items = cast(values.keys, from_key, to_key), cast(values.items, from_value, to_value)
        return pa.MapArray.from_arrays(values.offsets, keys, items, type=arrow_type, mask=mask)
    assert isinstance(source, RowType | StructuredType)
    assert isinstance(target, RowType | StructuredType)
    fields = [
        cast(child, from_type, to_type)
        for child, from_type, to_type in zip(children_of_struct(values), source.field_types, target.field_types, strict=True)
    ]
    if not fields:
        return pc.cast(values, arrow_type)
    return pa.StructArray.from_arrays(fields, fields=list(arrow_type), mask=mask)


def nested_to_text(values: Any, source: LogicalType, to_text: TextFunction) -> Any:
    """Returns text such as ``[1, 2]``, ``{k=v}`` or ``(1, a)``; elements that are NULL are written as NULL."""
    values = compact(values)
    mask = pc.is_null(values)

    def text_of(elements: Any, element_type: LogicalType) -> Any:
        return pc.fill_null(to_text(elements, element_type), "NULL")

    if isinstance(source, RowType | StructuredType):
        texts = [text_of(child, field) for child, field in zip(children_of_struct(values), source.field_types, strict=True)]
        if isinstance(source, StructuredType):
            texts = [_join(pa.scalar(f"{name}="), text) for name, text in zip(source.field_names, texts, strict=True)]
        inner = pc.binary_join_element_wise(*texts, ", ") if texts else pa.repeat("", len(values))
        return pc.if_else(mask, pa.scalar(None, pa.string()), _join("(", inner, ")"))
    if isinstance(source, ArrayType):
        elements, opening, closing = text_of(values.values, source.element_type), "[", "]"
    else:
        key_type, value_type = entry_types(source)
        elements, opening, closing = _join(text_of(values.keys, key_type), "=", text_of(values.items, value_type)), "{", "}"
    joined = pc.binary_join(pa.ListArray.from_arrays(values.offsets, elements, mask=mask), ", ")
    return _join(opening, joined, closing)


def _join(*parts: Any) -> Any:
    return pc.binary_join_element_wise(*parts, "")
