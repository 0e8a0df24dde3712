"""Traversal of the types inside a type."""

from __future__ import annotations

from collections.abc import Iterator

from table_common.types.logical import ArrayType, DistinctType, LogicalType, MapType, MultisetType, RowType, StructuredType


def types_in(type_: LogicalType) -> Iterator[LogicalType]:
    """Yields a type and all types inside of it: elements, keys, values, fields, the source of a distinct type.

    Example:
        >>> from table_common.types import IntType
        >>> [str(type_) for type_ in types_in(ArrayType(IntType()))]
        ['ARRAY<INT>', 'INT']
    """
    yield type_
    for part in _parts(type_):
        yield from types_in(part)


def is_deeper(type_: LogicalType, levels: int) -> bool:
    """Returns whether more than ``levels`` types are nested in one another.

    Example:
        >>> from table_common.types import ArrayType, IntType
        >>> is_deeper(ArrayType(ArrayType(IntType())), 2), is_deeper(IntType(), 2)
        (True, False)
    """
    level: list[LogicalType] = [type_]
    for _ in range(levels):
        level = [part for one in level for part in _parts(one)]
        if not level:
            return False
    return True


def has_more_parts(type_: LogicalType, most: int) -> bool:
    """Returns whether more than ``most`` types are nested in a type; repeated types count each time.

    Example:
        >>> from table_common.types import ArrayType, IntType
        >>> has_more_parts(ArrayType(IntType()), 0), has_more_parts(ArrayType(IntType()), 1)
        (True, False)
    """
    level: list[LogicalType] = [type_]
    count = 0
    while level:
        inner: list[LogicalType] = []
        for one in level:
            parts = _parts(one)
            count += len(parts)
            if count > most:
                return True
            inner += parts
        level = inner
    return False


def _parts(type_: LogicalType) -> tuple[LogicalType, ...]:
    match type_:
        case ArrayType() | MultisetType():
            return (type_.element_type,)
        case MapType():
            return (type_.key_type, type_.value_type)
        case RowType() | StructuredType():
            return type_.field_types
        case DistinctType():
            return (type_.source_type,)
    return ()
