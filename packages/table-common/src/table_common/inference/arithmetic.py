"""Argument and result types of arithmetic: numbers, decimals with their digits, dates and times with intervals."""

from __future__ import annotations

from collections.abc import Callable

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.logical import (
    INTERVALS,
    NUMERICS,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    LogicalType,
    TimestampType,
    YearMonthIntervalType,
    YearMonthResolution,
)
from table_common.types.merging import (
    decimal_average_type,
    decimal_division_type,
    decimal_modulo_type,
    decimal_multiplication_type,
    decimal_plus_type,
    decimal_rounding_type,
    decimal_sum_type,
    find_common_type,
    to_decimal_type,
)
from table_common.types.symbols import TimeUnit

DAY_TIME_INTERVAL = DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=3)
"""The type of day–time intervals that arithmetic returns."""
YEAR_MONTH_INTERVAL = YearMonthIntervalType(YearMonthResolution.MONTH)
"""The type of year–month intervals that arithmetic returns."""

_DecimalRule = Callable[[DecimalType, DecimalType], DecimalType]


@dataclass(frozen=True, slots=True)
class _Numbers(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        left, right = context.argument_types
        common = find_common_type((left, right))
        if common is None or not isinstance(common, NUMERICS):
            return None
        if isinstance(common, DecimalType):
            exact = tuple(to_decimal_type(type_) or common.with_nullability(True) for type_ in (left, right))
            return tuple(exact_type.with_nullability(type_.nullable) for exact_type, type_ in zip(exact, (left, right), strict=True))
        return common.with_nullability(left.nullable), common.with_nullability(right.nullable)

    @override
    def signatures(self) -> list[str]:
        return ["<NUMERIC>, <NUMERIC>"]


def numbers() -> InputTypeStrategy:
    """Two numbers: decimals keep their digits, integers combined with a decimal become decimals, all others get the common type."""
    return _Numbers()


def _decimals_or_common(rule: _DecimalRule) -> TypeStrategy:
    def infer(context: CallContext) -> LogicalType | None:
        left, right = context.argument_types
        if isinstance(left, DecimalType) and isinstance(right, DecimalType):
            return rule(left, right).with_nullability(left.nullable or right.nullable)
        return find_common_type((left, right)) if isinstance(left, NUMERICS) and isinstance(right, NUMERICS) else None

    return infer


def sum_of_numbers() -> TypeStrategy:
    """The result of ``+`` and ``-`` on numbers."""
    return _decimals_or_common(decimal_plus_type)


def multiplication() -> TypeStrategy:
    """The result of ``*`` on numbers."""
    return _decimals_or_common(decimal_multiplication_type)


def division() -> TypeStrategy:
    """The result of ``/``: integers stay integers."""
    return _decimals_or_common(decimal_division_type)


def modulo() -> TypeStrategy:
    """The result of ``%``: that of the divisor where neither side has fraction digits."""

    def infer(context: CallContext) -> LogicalType | None:
        left, right = context.argument_types
        nullable = left.nullable or right.nullable
        left_decimal, right_decimal = to_decimal_type(left), to_decimal_type(right)
        if left_decimal is None or right_decimal is None:
            return None
        if left_decimal.scale == 0 and right_decimal.scale == 0:
            return right.with_nullability(nullable)
        return decimal_modulo_type(left_decimal, right_decimal).with_nullability(nullable)

    return infer


def rounded() -> TypeStrategy:
    """The result of ROUND and TRUNCATE: of decimals the digits that a constant second argument leaves, else the type of the number."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        nullable = any(type_.nullable for type_ in context.argument_types)
        if not isinstance(given, DecimalType):
            return given.with_nullability(nullable)
        if len(context.argument_types) == 1:
            return decimal_rounding_type(given, 0).with_nullability(nullable)
        digits = context.literal(1)
        return (decimal_rounding_type(given, digits) if digits is not None else given).with_nullability(nullable)

    return infer


def decimal_to_scale_zero() -> TypeStrategy:
    """The result of CEIL and FLOOR on numbers: a decimal loses its fraction digits."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        return DecimalType(given.precision, 0, nullable=given.nullable) if isinstance(given, DecimalType) else given

    return infer


def total() -> TypeStrategy:
    """The result of SUM: the type of the numbers, decimals with 38 digits."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        return decimal_sum_type(given) if isinstance(given, DecimalType) else given

    return infer


def average() -> TypeStrategy:
    """The result of AVG, STDDEV and VAR: the type of the numbers; for decimals 38 digits, at least 6 of them fractional."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        return decimal_average_type(given) if isinstance(given, DecimalType) else given

    return infer


def plus_interval(datetime: int, interval: int) -> TypeStrategy:
    """The result of adding an interval: the type of the date or time; a DATE becomes a TIMESTAMP unless whole days are added.

    A time attribute becomes a plain timestamp.
    """

    def infer(context: CallContext) -> LogicalType | None:
        given, added = context.argument_types[datetime], context.argument_types[interval]
        nullable = given.nullable or added.nullable
        if isinstance(given, DateType) and isinstance(added, DayTimeIntervalType) and not context.is_whole_days(interval):
            # Differs from Flink: a DATE plus hours is a TIMESTAMP(3); Flink returns a DATE and drops the hours.
            return TimestampType(3, nullable=nullable)
        return given.with_nullability(nullable)

    return infer


@dataclass(frozen=True, slots=True)
class _SameInterval(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        left, right = context.argument_types
        for kind in INTERVALS:
            if isinstance(left, kind) and isinstance(right, kind):
                return left, right
        return None

    @override
    def signatures(self) -> list[str]:
        return ["<INTERVAL>, <INTERVAL>"]


def two_intervals() -> InputTypeStrategy:
    """Two intervals of the same family."""
    return _SameInterval()


def datetime_difference() -> TypeStrategy:
    """The result of ``(a - b) unit``: months for years to months, else a duration."""

    def infer(context: CallContext) -> LogicalType | None:
        months = context.literal(2) in (TimeUnit.YEAR, TimeUnit.QUARTER, TimeUnit.MONTH)
        result: LogicalType = YEAR_MONTH_INTERVAL if months else DAY_TIME_INTERVAL
        return result.with_nullability(any(type_.nullable for type_ in context.argument_types[:2]))

    return infer
