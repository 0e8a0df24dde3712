"""The types that a type is made of."""

from __future__ import annotations

from collections.abc import Iterator

from table_common.types.logical import ArrayType, DistinctType, LogicalType, MapType, MultisetType, RowType, StructuredType

__all__ = ["types_in"]


def types_in(type_: LogicalType) -> Iterator[LogicalType]:
    """Yields a type and all types inside of it: elements, keys, values, fields, the source of a distinct type."""
    yield type_
    inner: tuple[LogicalType, ...] = ()
    match type_:
        case ArrayType() | MultisetType():
            inner = (type_.element_type,)
        case MapType():
            inner = (type_.key_type, type_.value_type)
        case RowType() | StructuredType():
            inner = type_.field_types
        case DistinctType():
            inner = (type_.source_type,)
    for part in inner:
        yield from types_in(part)
