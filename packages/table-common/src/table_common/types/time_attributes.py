"""Time attributes: the timestamps that are event time or processing time."""

from __future__ import annotations

from table_common.frozen_dataclass import replace
from table_common.types.logical import LocalZonedTimestampType, LogicalType, TimestampKind, TimestampType

__all__ = ["is_proctime", "is_rowtime", "is_time_attribute", "plain_timestamp", "timestamp_kind"]


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


def plain_timestamp(type_: LogicalType) -> LogicalType:
    """Returns the type; a time attribute becomes a plain timestamp.

    Example:
        >>> str(plain_timestamp(TimestampType(3, kind=TimestampKind.ROWTIME)))
        'TIMESTAMP(3)'
    """
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.kind is not TimestampKind.REGULAR:
        return replace(type_, kind=TimestampKind.REGULAR)
    return type_
