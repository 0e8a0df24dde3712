"""The values of ``:name`` as expressions. A value is never pasted into the text: it becomes a literal of its type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from table_api.expressions.unresolved import Call, Literal, Span, UnresolvedExpression
from table_api.sql.grammar.operators import operator
from table_common.exceptions import SourcePosition, ValidationException
from table_common.types import (
    BigIntType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)

__all__ = ["parameter_expression"]

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def parameter_expression(name: str, parameters: Mapping[str, object], span: Span, position: SourcePosition) -> UnresolvedExpression:
    """Returns the literal for the parameter ``name``; a list becomes an ARRAY.

    bool, int, float, Decimal, str, bytes, date, time, datetime (with a zone: TIMESTAMP_LTZ), timedelta and None are taken.

    Raises:
        ValidationException: There is no such parameter, or its value has no SQL type.
    """
    if name not in parameters:
        raise ValidationException.unknown("Parameter", name, parameters, where="args", position=position)
    return _expression(parameters[name], name, span, position)


def _expression(value: object, name: str, span: Span, position: SourcePosition) -> UnresolvedExpression:
    if isinstance(value, (list, tuple)):
        return Call(operator("ARRAY"), tuple(_expression(item, name, span, position) for item in value), span=span)
    literal = _literal(value)
    if literal is None:
        raise ValidationException(
            f"Parameter '{name}' has a value of {type(value).__name__}, which has no SQL type.",
            position=position,
            hint="bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta, None and lists of them are taken",
        )
    internal, type_ = literal
    return Literal(internal, type_, span=span)


def _literal(value: object) -> tuple[object, LogicalType] | None:
    match value:
        case None:
            return None, NullType()
        case bool():
            return value, BooleanType(nullable=False)
        case int() if -(2**31) <= value < 2**31:
            return value, IntType(nullable=False)
        case int() if -(2**63) <= value < 2**63:
            return value, BigIntType(nullable=False)
        case float():
            return value, DoubleType(nullable=False)
        case Decimal() if value.is_finite():
            return _decimal(value)
        case str():
            return value, VarCharType(nullable=False)
        case bytes():
            return value, VarBinaryType(nullable=False)
        case datetime():
            if value.tzinfo is None:
                return (value - _EPOCH) // _MICROSECOND * 1000, TimestampType(6, nullable=False)
            utc = value.astimezone(UTC).replace(tzinfo=None)
            return (utc - _EPOCH) // _MICROSECOND * 1000, LocalZonedTimestampType(6, nullable=False)
        case date():
            return value, DateType(nullable=False)
        case time():
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            return (seconds * 1_000_000 + value.microsecond) * 1000, TimeType(6, nullable=False)
        case timedelta():
            return value // _MICROSECOND * 1000, DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=6, nullable=False)
    return None


def _decimal(value: Decimal) -> tuple[object, LogicalType] | None:
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # it is finite
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    return (value, DecimalType(precision, scale, nullable=False)) if precision <= 38 else None
