"""Result types: the least common type of several types, and the decimal types of arithmetic.

If 38 digits do not suffice, the decimal rules keep the integer digits and reduce the scale, down to 6 if need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from table_common.types.logical import (
    EXACT_INTEGERS,
    NUMERICS,
    ArrayType,
    BigIntType,
    BinaryStringType,
    BinaryType,
    CharacterType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DayTimeResolution,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RowField,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
    YearMonthResolution,
)

_MAX = DecimalType.MAX_PRECISION
_DIGITS: dict[type[LogicalType], int] = {TinyIntType: 3, SmallIntType: 5, IntType: 10, BigIntType: 19}


def to_decimal_type(type_: LogicalType) -> DecimalType | None:
    """Returns the decimal that holds every value of an exact number, None for all other types.

    Example:
        >>> from table_common.types import IntType
        >>> str(to_decimal_type(IntType()))
        'DECIMAL(10, 0)'
    """
    if isinstance(type_, DecimalType):
        return type_
    digits = _DIGITS.get(type(type_))
    return DecimalType(digits, 0, nullable=type_.nullable) if digits is not None else None


def exceed_decimal_digits(types: Sequence[LogicalType]) -> bool:
    """Returns whether all are exact numbers without a common decimal type of 38 digits.

    Example:
        >>> exceed_decimal_digits([DecimalType(38, 0), DecimalType(38, 38)])
        True
    """
    decimals = [decimal for decimal in map(to_decimal_type, types) if decimal is not None]
    if len(decimals) < len(types):
        return False
    return max(d.precision - d.scale for d in decimals) + max(d.scale for d in decimals) > _MAX


def _fit(precision: int, scale: int) -> DecimalType:
    if precision <= _MAX:
        return DecimalType(precision, scale)
    whole = precision - scale
    return DecimalType(_MAX, max(_MAX - whole, min(scale, 6)))


def decimal_plus_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """Returns the type of a sum or difference.

    Example:
        >>> str(decimal_plus_type(DecimalType(5, 2), DecimalType(4, 1)))
        'DECIMAL(6, 2)'
    """
    scale = max(left.scale, right.scale)
    return _fit(max(left.precision - left.scale, right.precision - right.scale) + scale + 1, scale)


def decimal_multiplication_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """Returns the type of a product.

    Example:
        >>> str(decimal_multiplication_type(DecimalType(5, 2), DecimalType(4, 1)))
        'DECIMAL(10, 3)'
    """
    return _fit(left.precision + right.precision + 1, left.scale + right.scale)


def decimal_division_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """Returns the type of a quotient.

    Example:
        >>> str(decimal_division_type(DecimalType(5, 2), DecimalType(4, 1)))
        'DECIMAL(11, 7)'
    """
    scale = max(6, left.scale + right.precision + 1)
    return _fit(left.precision - left.scale + right.scale + scale, scale)


def decimal_modulo_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """Returns the type of a remainder.

    Example:
        >>> str(decimal_modulo_type(DecimalType(5, 2), DecimalType(4, 1)))
        'DECIMAL(5, 2)'
    """
    scale = max(left.scale, right.scale)
    return DecimalType(min(left.precision - left.scale, right.precision - right.scale) + scale, scale)


def decimal_rounding_type(given: DecimalType, digits: int) -> DecimalType:
    """Returns the type of a decimal rounded to ``digits`` fractional digits.

    Example:
        >>> str(decimal_rounding_type(DecimalType(5, 2), 1))
        'DECIMAL(5, 1)'
    """
    if digits >= given.scale:
        return DecimalType(given.precision, given.scale)
    kept = max(0, digits)
    return DecimalType(min(_MAX, 1 + given.precision - given.scale + kept), kept)


def decimal_sum_type(given: DecimalType) -> DecimalType:
    """Returns the type of SUM over decimals, with the nullability of the column.

    Example:
        >>> str(decimal_sum_type(DecimalType(5, 2)))
        'DECIMAL(38, 2)'
    """
    return DecimalType(_MAX, given.scale, nullable=given.nullable)


def decimal_average_type(given: DecimalType) -> DecimalType:
    """Returns the type of AVG over decimals, with the nullability of the column.

    Example:
        >>> str(decimal_average_type(DecimalType(5, 2)))
        'DECIMAL(38, 6)'
    """
    return DecimalType(_MAX, max(given.scale, 6), nullable=given.nullable)


def find_common_type(types: Sequence[LogicalType]) -> LogicalType | None:
    """Returns the type that holds the values of all types, nullable if one of them is; None if there is none.

    NULL is untyped: NULLs alone have no common type.

    Example:
        >>> from table_common.types import DecimalType, IntType
        >>> str(find_common_type([IntType(), DecimalType(5, 2)]))
        'DECIMAL(12, 2)'
    """
    distinct = dict.fromkeys({id(type_): type_ for type_ in types}.values())  # a list of constants has few types
    known = [type_ for type_ in distinct if not isinstance(type_, NullType)]
    if not known:
        return None
    nullable = any(type_.nullable for type_ in distinct)
    merged = reduce(lambda left, right: _pair(left, right) if left is not None else None, known[1:], _optional(known[0]))
    return merged.with_nullability(nullable) if merged is not None else None


def _optional(type_: LogicalType) -> LogicalType | None:
    return type_


def _pair(left: LogicalType, right: LogicalType) -> LogicalType | None:
    nullable = left.nullable or right.nullable
    left, right = left.with_nullability(nullable), right.with_nullability(nullable)
    if left == right:
        return left
    merged = _merge(left, right)
    return merged.with_nullability(nullable) if merged is not None else None


def _merge(left: LogicalType, right: LogicalType) -> LogicalType | None:
    if isinstance(left, NUMERICS) and isinstance(right, NUMERICS):
        return _merge_numbers(left, right)
    match left, right:
        case CharacterType(), CharacterType():
            length = max(left.length, right.length)
            both = isinstance(left, CharType) and isinstance(right, CharType) and left.length == right.length
            return CharType(length) if both else VarCharType(length)
        case BinaryStringType(), BinaryStringType():
            length = max(left.length, right.length)
            both = isinstance(left, BinaryType) and isinstance(right, BinaryType) and left.length == right.length
            return BinaryType(length) if both else VarBinaryType(length)
        case TimestampType(), TimestampType():
            return TimestampType(max(left.precision, right.precision))
        case LocalZonedTimestampType(), LocalZonedTimestampType():
            return LocalZonedTimestampType(max(left.precision, right.precision))
        case TimestampType(), LocalZonedTimestampType():
            return LocalZonedTimestampType(max(left.precision, right.precision))
        case LocalZonedTimestampType(), TimestampType():
            return LocalZonedTimestampType(max(left.precision, right.precision))
        # Differs from Flink: COALESCE and similar functions of a DATE and a TIMESTAMP return a TIMESTAMP. In Flink they return a DATE,
        # without the time of day.
        case (TimestampType() | LocalZonedTimestampType(), DateType()):
            return left
        case (DateType(), TimestampType() | LocalZonedTimestampType()):
            return right
        case TimeType(), TimeType():
            return TimeType(max(left.precision, right.precision))
        case DayTimeIntervalType(), DayTimeIntervalType():
            return DayTimeIntervalType(
                DayTimeResolution(_span(left.resolution.value, right.resolution.value, _DAY_TIME_FIELDS)),
                max(left.day_precision, right.day_precision),
                max(left.fractional_precision, right.fractional_precision),
            )
        case YearMonthIntervalType(), YearMonthIntervalType():
            return YearMonthIntervalType(
                YearMonthResolution(_span(left.resolution.value, right.resolution.value, _YEAR_MONTH_FIELDS)),
                max(left.year_precision, right.year_precision),
            )
        case ArrayType(), ArrayType():
            element = find_common_type((left.element_type, right.element_type))
            return ArrayType(element) if element is not None else None
        case MultisetType(), MultisetType():
            element = find_common_type((left.element_type, right.element_type))
            return MultisetType(element) if element is not None else None
        case MapType(), MapType():
            key = find_common_type((left.key_type, right.key_type))
            value = find_common_type((left.value_type, right.value_type))
            return MapType(key, value) if key is not None and value is not None else None
        case RowType(), RowType():
            fields = _merge_fields(left.fields, right.fields)
            return RowType(fields) if fields is not None else None
        case StructuredType(), StructuredType() if left.class_name == right.class_name:
            fields = _merge_fields(left.fields, right.fields)
            return StructuredType(left.class_name, fields) if fields is not None else None
        case _:
            return None


def _merge_fields(left: Sequence[RowField], right: Sequence[RowField]) -> tuple[RowField, ...] | None:
    """Returns the left names with the common types, position by position."""
    if len(left) != len(right):
        return None
    fields = []
    for ours, theirs in zip(left, right, strict=True):
        common = find_common_type((ours.type, theirs.type))
        if common is None:
            return None
        fields.append(RowField(ours.name, common, ours.description))
    return tuple(fields)


_DAY_TIME_FIELDS = ("DAY", "HOUR", "MINUTE", "SECOND")
_YEAR_MONTH_FIELDS = ("YEAR", "MONTH")


def _span(left: str, right: str, fields: tuple[str, ...]) -> str:
    """Returns the resolution from the greatest to the smallest field of two, such as ``DAY TO HOUR``."""
    positions = [fields.index(field) for text in (left, right) for field in text.split(" TO ")]
    first, last = fields[min(positions)], fields[max(positions)]
    return first if first == last else f"{first} TO {last}"


def _merge_numbers(left: LogicalType, right: LogicalType) -> LogicalType:
    kinds = {type(left), type(right)}
    if DoubleType in kinds or (FloatType in kinds and DecimalType in kinds):
        return DoubleType()
    if FloatType in kinds:
        return FloatType()
    if DecimalType in kinds:
        left_decimal, right_decimal = to_decimal_type(left), to_decimal_type(right)
        assert left_decimal is not None
        assert right_decimal is not None
        scale = max(left_decimal.scale, right_decimal.scale)
        whole = max(left_decimal.precision - left_decimal.scale, right_decimal.precision - right_decimal.scale)
        return DecimalType(min(whole + scale, _MAX), min(scale, max(_MAX - whole, 0)) if whole + scale > _MAX else scale)
    return max(left, right, key=lambda type_: EXACT_INTEGERS.index(type(type_)))
