"""Casts that keep different values different."""

from __future__ import annotations

from table_common.types.casts import holds_integers_of
from table_common.types.logical import (
    EXACT_INTEGERS,
    MAX_LENGTH,
    BigIntType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

_DIGITS = {TinyIntType: 3, SmallIntType: 5, IntType: 10, BigIntType: 19}
"""The most decimal digits of each type of integers."""


def is_injective_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether CAST gives different results for values that GROUP BY tells apart; nullability is ignored.

    Not injective: casts that cut or round, that pad (to CHAR or BINARY), and between local and zoned timestamps, where clocks are set back.

    Example:
        >>> from table_common.types import BigIntType, IntType, VarCharType
        >>> is_injective_cast(IntType(), BigIntType()), is_injective_cast(BigIntType(), IntType())
        (True, False)
        >>> is_injective_cast(VarCharType(5), VarCharType(4))
        False
    """
    if source.with_nullability(True) == target.with_nullability(True) or holds_integers_of(target, source):
        return True
    match source, target:
        case ((CharType() | VarCharType()), VarCharType()):
            return source.length <= target.length
        case VarBinaryType(), VarBinaryType():
            return source.length <= target.length
        case _, VarCharType():
            return _is_written_exactly(source, target.length)
        case _, DecimalType() if type(source) in _DIGITS:
            return _DIGITS[type(source)] <= target.precision - target.scale
        case DecimalType(), DecimalType():
            return source.scale <= target.scale and source.precision - source.scale <= target.precision - target.scale
        case ((TinyIntType() | SmallIntType()), FloatType()):
            return True
        case ((TinyIntType() | SmallIntType() | IntType() | FloatType()), DoubleType()):
            return True
        case TimeType(), TimeType():
            return source.precision <= target.precision
        case TimestampType(), TimestampType():
            return source.precision <= target.precision
        case LocalZonedTimestampType(), LocalZonedTimestampType():
            return source.precision <= target.precision
        case DateType(), TimestampType():
            return True
        case _:
            return False


def _is_written_exactly(source: LogicalType, length: int) -> bool:
    """Whether the text of each value fits into a length and is that of no other value."""
    if isinstance(source, EXACT_INTEGERS):
        return _DIGITS[type(source)] < length  # one more for the sign
    if isinstance(source, BooleanType):
        return length >= len("FALSE")
    return length == MAX_LENGTH and isinstance(source, (DecimalType, DateType, TimeType, TimestampType))
