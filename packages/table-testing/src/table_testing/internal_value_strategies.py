"""Hypothesis strategies for internal structures of a type (``table_common.data``). Needs the package ``hypothesis``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    RawValueData,
    RowKind,
    StringData,
    TimeData,
    TimestampData,
    interval_precision,
)
from table_common.types import (
    ArrayType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
)
from table_testing.value_strategies import values_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_DAY_NANOS = 86_400_000_000_000
_YEAR_1, _YEAR_10000 = -62_135_596_800_000, 253_402_300_800_000


def internal_values_of(type_: LogicalType) -> SearchStrategy[Any]:
    """Internal structures of the type, with all digits of its precision: None too where it is nullable, no NaN."""
    from hypothesis import strategies as st

    if isinstance(type_, NullType):
        return st.none()
    values = _not_null(type_)
    return st.none() | values if type_.nullable else values


def row_data_of(row_type: RowType | StructuredType) -> SearchStrategy[GenericRowData]:
    """Rows of the type, of any kind."""
    from hypothesis import strategies as st

    # Drawn step by step: nested strategies have representations of many kilobytes, which Hypothesis warns of.
    @st.composite
    def rows(draw: DrawFn) -> GenericRowData:
        kind = draw(st.sampled_from(RowKind))
        return GenericRowData.of_kind(kind, *(draw(internal_values_of(field.type)) for field in row_type.fields))

    return rows()


def _not_null(type_: LogicalType) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    match type_:
        case CharacterType() | VariantType():
            return values_of(type_.not_null()).map(StringData.from_string)
        case DecimalType(precision=precision, scale=scale):
            digits = st.integers(-(10**precision) + 1, 10**precision - 1)
            return digits.map(lambda unscaled: DecimalData.from_unscaled_bytes(precision, scale, unscaled.to_bytes(17, "big", signed=True)))
        case DateType():
            return st.integers(-(2**31), 2**31 - 1)
        case TimeType(precision=precision):
            return _steps(0, _DAY_NANOS - 1, precision).map(lambda n: n // 1_000_000 if precision <= 3 else TimeData.from_nanos(n))
        case TimestampType(precision=precision) | LocalZonedTimestampType(precision=precision):
            low, high = (_YEAR_1 * 1_000_000, _YEAR_10000 * 1_000_000 - 1) if precision <= 6 else (-(2**63), 2**63 - 1)
            return _steps(low, high, precision).map(lambda n: TimestampData.from_epoch_millis(n // 1_000_000, n % 1_000_000))
        case DayTimeIntervalType():
            return _intervals(type_)
        case YearMonthIntervalType():
            return st.integers(-(2**31), 2**31 - 1)
        case RawType():
            return st.binary(max_size=10).map(RawValueData.from_bytes)
        case DistinctType(source_type=source):
            return _not_null(source)
        case ArrayType(element_type=element):
            return st.lists(internal_values_of(element), max_size=3).map(GenericArrayData)
        case MapType(key_type=key, value_type=value):
            return st.dictionaries(internal_values_of(key.not_null()), internal_values_of(value), max_size=3).map(GenericMapData)
        case MultisetType(element_type=element):
            counts = internal_values_of(IntType(nullable=False))
            return st.dictionaries(internal_values_of(element.not_null()), counts, max_size=3).map(GenericMapData)
        case RowType() | StructuredType():
            # A nested row has no row kind.
            return row_data_of(type_).map(_as_insertion)
        case _:
            return values_of(type_.not_null())


def _steps(low: int, high: int, precision: int) -> SearchStrategy[int]:
    """Nanoseconds within the bounds that a precision can represent."""
    from hypothesis import strategies as st

    step = 10 ** (9 - precision)
    return st.integers(-(-low // step), high // step).map(lambda n: n * step)


def _intervals(type_: DayTimeIntervalType) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    precision = interval_precision(type_)
    if precision <= 3:
        return st.integers(-(10**13), 10**13)
    # Arrow keeps microseconds up to a precision of 6.
    step = 1_000 if precision <= 6 else 1
    return st.integers(-(2**63) // step + 1, (2**63 - 1) // step).map(lambda n: IntervalData.from_nanos(n * step))


def _as_insertion(row: GenericRowData) -> GenericRowData:
    row.set_row_kind(RowKind.INSERT)
    return row
