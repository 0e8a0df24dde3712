"""Hash codes of values as Java's classes compute them: 32-bit integers with a sign."""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import (
    BigIntType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DistinctType,
    DoubleType,
    FloatType,
    LogicalType,
    TimestampType,
    TimeType,
)
from table_runtime.casts.temporal import TICKS_PER_SECOND


def hashed(values: Any, type_: LogicalType) -> tuple[Any, Callable[[Any], int]]:
    """Returns the values of a type, dates and times as integers, and the function that computes the hash code of one of them."""
    match type_:
        case DistinctType():
            return hashed(values, type_.source_type)
        case BooleanType():
            return values, lambda value: 1231 if value else 1237
        case BigIntType():
            return values, _of_long
        case FloatType():
            return values, lambda value: _of_bits(struct.pack(">f", value))
        case DoubleType():
            return values, lambda value: _of_long(int.from_bytes(struct.pack(">d", value)))
        case DecimalType():
            return values, _of_decimal
        case CharacterType():
            return values, _of_text
        case DateType():
            return pc.cast(values, pa.int32()), int
        case TimeType():
            ticks = TICKS_PER_SECOND[values.type.unit]
            return pc.cast(values, _integer_of(values.type)), lambda value: value * 1000 // ticks
        case TimestampType():
            ticks = TICKS_PER_SECOND[values.type.unit]
            return pc.cast(values, pa.int64()), lambda value: _of_timestamp(value * (1_000_000_000 // ticks))
        case _:
            return values, int


def _integer_of(type_: pa.DataType) -> pa.DataType:
    return pa.int32() if pa.types.is_time32(type_) else pa.int64()


def _signed(value: int) -> int:
    """Returns the lowest 32 bits as a number with a sign."""
    return ((value & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


def _of_bits(bits: bytes) -> int:
    return int.from_bytes(bits, signed=True)


def _of_long(value: int) -> int:
    return _signed(value ^ (value >> 32))


def _of_text(text: str) -> int:
    code = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for (unit,) in struct.iter_unpack(">H", units):
        code = (31 * code + unit) & 0xFFFFFFFF
    return _signed(abs(_signed(code)))  # Flink takes the absolute value, of texts alone; that of the least number is the number itself


def _of_decimal(value: Decimal) -> int:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    unscaled = int("".join(map(str, digits)))
    code = 0
    for shift in range((unscaled.bit_length() + 31) // 32 - 1, -1, -1):
        code = 31 * code + (unscaled >> 32 * shift & 0xFFFFFFFF)
    return _signed(31 * (-code if sign else code) - exponent)


def _of_timestamp(nanos: int) -> int:
    millis, rest = divmod(nanos, 1_000_000)
    return _signed(31 * _signed(millis ^ (millis >> 32)) + rest)
