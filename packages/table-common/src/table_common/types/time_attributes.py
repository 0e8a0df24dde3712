"""Time attributes: the timestamps that are event time or processing time."""

from __future__ import annotations

from table_common.frozen_dataclass import replace
from table_common.types.logical import (
    ArrayType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    TimestampKind,
    TimestampType,
)
from table_common.types.nested import types_in


def timestamp_kind(type_: LogicalType) -> TimestampKind | None:
    """Returns the kind of a TIMESTAMP or TIMESTAMP_LTZ; None for other types.

    Example:
        >>> timestamp_kind(TimestampType(3)).name
        'REGULAR'
    """
    return type_.kind if isinstance(type_, (TimestampType, LocalZonedTimestampType)) else None


def is_time_attribute(type_: LogicalType) -> bool:
    """Whether the type is event time or processing time.

    Example:
        >>> is_time_attribute(TimestampType(3, kind=TimestampKind.ROWTIME)), is_time_attribute(TimestampType(3))
        (True, False)
    """
    return timestamp_kind(type_) in (TimestampKind.ROWTIME, TimestampKind.PROCTIME)


def is_rowtime(type_: LogicalType) -> bool:
    """Whether the type is event time.

    Example:
        >>> is_rowtime(TimestampType(3, kind=TimestampKind.ROWTIME))
        True
    """
    return timestamp_kind(type_) is TimestampKind.ROWTIME


def is_proctime(type_: LogicalType) -> bool:
    """Whether the type is processing time.

    Example:
        >>> is_proctime(TimestampType(3, kind=TimestampKind.ROWTIME))
        False
    """
    return timestamp_kind(type_) is TimestampKind.PROCTIME


def at_least_milliseconds(type_: LogicalType) -> LogicalType:
    """Returns the type; a time attribute of a precision below 3, with precision 3.

    Example:
        >>> str(plain_timestamp(at_least_milliseconds(TimestampType(0, kind=TimestampKind.ROWTIME))))
        'TIMESTAMP(3)'
    """
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and is_time_attribute(type_) and type_.precision < 3:
        return replace(type_, precision=3)
    return type_


def plain_timestamp(type_: LogicalType) -> LogicalType:
    """Returns the type; a time attribute becomes a plain timestamp, also as an element, a key, a value or a field.

    Source: Flink's ``org.apache.flink.table.types.logical.utils.LogicalTypeUtils.removeTimeAttributes``.

    Example:
        >>> str(plain_timestamp(TimestampType(3, kind=TimestampKind.ROWTIME)))
        'TIMESTAMP(3)'
    """
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)):
        return type_ if type_.kind is TimestampKind.REGULAR else replace(type_, kind=TimestampKind.REGULAR)
    if not isinstance(type_, (ArrayType, MultisetType, MapType, RowType)) or not any(map(is_time_attribute, types_in(type_))):
        return type_
    match type_:
        case ArrayType() | MultisetType():
            return replace(type_, element_type=plain_timestamp(type_.element_type))
        case MapType():
            return replace(type_, key_type=plain_timestamp(type_.key_type), value_type=plain_timestamp(type_.value_type))
        case RowType():
            return replace(type_, fields=tuple(replace(field, type=plain_timestamp(field.type)) for field in type_.fields))
