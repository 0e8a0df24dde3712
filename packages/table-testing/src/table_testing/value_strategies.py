"""Hypothesis strategies for values of a type, as ``DataStructureConverter`` makes them. Needs the package ``hypothesis``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from table_common.data import Row, datetime_of, time_of
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryStringType,
    BitmapType,
    BooleanType,
    CharacterType,
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
    Period,
    PrecisionTimeType,
    RawType,
    RowField,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VariantType,
    YearMonthIntervalType,
)

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_BITS = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


def values_of(type_: LogicalType) -> SearchStrategy[Any]:
    """Values of the type: None too where it is nullable, no NaN, and timestamps of precision 7 to 9 within the years of int64 nanoseconds."""
    from hypothesis import strategies as st

    values = _not_null(type_)
    return st.none() | values if type_.nullable or isinstance(type_, NullType) else values


def _not_null(type_: LogicalType) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    bits = _BITS.get(type(type_))
    if bits is not None:
        return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)
    match type_:
        case BooleanType():
            return st.booleans()
        case FloatType():
            return st.floats(width=32, allow_nan=False)
        case DoubleType():
            return st.floats(allow_nan=False)
        case DecimalType(precision=precision, scale=scale):
            # Built from digits: arithmetic on Decimal would round to the context.
            return st.integers(-(10**precision) + 1, 10**precision - 1).map(lambda n: Decimal(f"{n}E-{scale}"))
        case CharacterType():
            return st.text(st.characters(codec="utf-8"), max_size=min(type_.length, 10))
        case VariantType():
            return st.sampled_from(["1", '"x"', '{"a":[1,null]}'])
        case BinaryStringType():
            return st.binary(max_size=min(type_.length, 10))
        case RawType() | BitmapType():
            return st.binary(max_size=10)
        case NullType():
            return st.none()
        case YearMonthIntervalType():
            return st.integers(-(2**31), 2**31 - 1).map(Period)
        case _:
            temporals = _temporals(type_)
            return temporals if temporals is not None else _nested(type_)


def _temporals(type_: LogicalType) -> SearchStrategy[Any] | None:
    from hypothesis import strategies as st

    if isinstance(type_, DateType):
        return st.dates()
    if isinstance(type_, DayTimeIntervalType):
        step = 1000 if type_.resolution.value.endswith("SECOND") and type_.fractional_precision <= 3 else 1
        return st.integers(-(10**15), 10**15).map(lambda n: timedelta(0, 0, n * step))
    if not isinstance(type_, PrecisionTimeType):
        return None
    step = 10 ** max(0, 6 - type_.precision)
    nanoseconds = st.integers(0, 10 ** max(0, type_.precision - 6) - 1).map(lambda n: n * 10 ** (9 - type_.precision))
    if isinstance(type_, TimeType):
        times = st.times().map(lambda t: t.replace(microsecond=t.microsecond // step * step))
        return times if type_.precision <= 6 else st.builds(time_of, times, nanoseconds)
    first, last = (datetime(1, 1, 1), datetime.max) if type_.precision <= 6 else (datetime(1678, 1, 1), datetime(2261, 12, 31))
    moments = st.datetimes(first, last).map(lambda d: d.replace(microsecond=d.microsecond // step * step))
    if type_.precision > 6:
        moments = st.builds(datetime_of, moments, nanoseconds)
    if isinstance(type_, TimestampType):
        return moments
    return moments.map(lambda d: d.replace(tzinfo=UTC)) if isinstance(type_, LocalZonedTimestampType) else None


def _nested(type_: LogicalType) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    match type_:
        case ArrayType(element_type=element):
            return st.lists(values_of(element), max_size=3)
        case MapType(key_type=key, value_type=value):
            return st.dictionaries(_keys_of(key), values_of(value), max_size=3)
        case MultisetType(element_type=element):
            return st.dictionaries(_keys_of(element), st.integers(1, 5), max_size=3)
        case RowType(fields=fields) | StructuredType(fields=fields):
            return _rows_of(fields)
        case DistinctType(source_type=source):
            return values_of(source.not_null())
        case _:
            raise TypeError(f"There are no values of {type_}.")


def _rows_of(fields: tuple[RowField, ...]) -> SearchStrategy[Row]:
    from hypothesis import strategies as st

    names = [field.name for field in fields]

    @st.composite
    def rows(draw: DrawFn) -> Row:
        return Row.of_names(names, [draw(values_of(field.type)) for field in fields])

    return rows()


def _keys_of(type_: LogicalType) -> SearchStrategy[Any]:
    return values_of(type_.not_null()).map(_hashable)


def _hashable(value: Any) -> Any:
    """Returns the value in the form that keys have: lists as tuples, dicts as tuples of pairs."""
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, Row):
        return Row.of_names(value.get_field_names(), [_hashable(item) for item in value])
    return value
