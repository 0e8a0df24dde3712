"""The getter of a row or an array for each type, as a picklable function."""

from __future__ import annotations

from typing import Any, Protocol

from table_common.data.time_interval import IntervalData, TimeData, interval_precision
from table_common.exceptions import ValidationException
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
)

_GETTERS: dict[type[LogicalType], str] = {
    BooleanType: "get_boolean",
    TinyIntType: "get_byte",
    SmallIntType: "get_short",
    IntType: "get_int",
    BigIntType: "get_long",
    FloatType: "get_float",
    DoubleType: "get_double",
    CharType: "get_string",
    VarCharType: "get_string",
    VariantType: "get_string",
    BinaryType: "get_binary",
    VarBinaryType: "get_binary",
    BitmapType: "get_binary",
    DateType: "get_int",
    YearMonthIntervalType: "get_int",
    RawType: "get_raw_value",
    ArrayType: "get_array",
    MapType: "get_map",
    MultisetType: "get_map",
}


class _HasNull(Protocol):
    def is_null_at(self, position: int) -> bool: ...


def getter_of(type_: LogicalType) -> tuple[str, tuple[int, ...]]:
    """Returns the name of the method that reads a value of the type, and what it takes after the position.

    Raises:
        ValidationException: Rows hold no values of the type.
    """
    plain = _GETTERS.get(type(type_))
    if plain is not None:
        return plain, ()
    match type_:
        case DecimalType(precision=precision, scale=scale):
            return "get_decimal", (precision, scale)
        case TimestampType(precision=precision) | LocalZonedTimestampType(precision=precision):
            return "get_timestamp", (precision,)
        case TimeType(precision=precision):
            return ("get_int", ()) if TimeData.is_compact(precision) else ("get_time", (precision,))
        case DayTimeIntervalType():
            precision = interval_precision(type_)
            return ("get_long", ()) if IntervalData.is_compact(precision) else ("get_interval", (precision,))
        case RowType(fields=fields) | StructuredType(fields=fields):
            return "get_row", (len(fields),)
        case DistinctType(source_type=source):
            return getter_of(source)
        case _:
            raise ValidationException(f"Rows hold no values of the type {type_}.")


class FieldGetter:
    """Reads the value at one position of a row, or at any position of an array; None where it is NULL.

    Example:
        >>> from table_common.data import GenericRowData
        >>> from table_common.types import IntType
        >>> FieldGetter(IntType(), 1)(GenericRowData.of(7, None)) is None
        True
    """

    __slots__ = ("_arguments", "_method", "_position", "_type")

    def __init__(self, type_: LogicalType, position: int | None) -> None:
        self._type = type_
        self._position = position
        self._method, self._arguments = ("", ()) if isinstance(type_, NullType) else getter_of(type_)

    def __call__(self, data: _HasNull, position: int | None = None) -> Any:
        """Returns the value in the internal structure of the type."""
        at = self._position if position is None else position
        assert at is not None
        # Checked for NOT NULL types too: a getter of a number cannot return NULL.
        if not self._method or data.is_null_at(at):
            return None
        return getattr(data, self._method)(at, *self._arguments)

    def __repr__(self) -> str:
        return f"FieldGetter({self._type}{'' if self._position is None else f' at {self._position}'})"

    def __reduce__(self) -> tuple[object, ...]:
        return FieldGetter, (self._type, self._position)
