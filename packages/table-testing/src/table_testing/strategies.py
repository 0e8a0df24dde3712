"""Hypothesis strategies for types; ``value_strategies`` has those for values. Needs the package ``hypothesis``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
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
    RawType,
    RowField,
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
    YearMonthResolution,
    ZonedTimestampType,
)

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


def field_names() -> SearchStrategy[str]:
    """Names of columns, with letters, signs and quotes."""
    from hypothesis import strategies as st

    return st.one_of(
        st.sampled_from(["a", "b", "user_id", "Order", "select", "a b", "b`c", "o'x", "größe"]),
        st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8),
    )


def leaf_types() -> SearchStrategy[LogicalType]:
    """Types with no type inside, of every kind that has text."""
    from hypothesis import strategies as st

    plain = [
        BooleanType(),
        TinyIntType(),
        SmallIntType(),
        IntType(),
        BigIntType(),
        FloatType(),
        DoubleType(),
        DateType(),
        VarCharType(),
        VarBinaryType(),
        VariantType(),
        BitmapType(),
        NullType(),
    ]
    return st.one_of(
        st.sampled_from(plain), _sized_types(), _interval_types(), st.builds(RawType, st.text(max_size=5), st.text(max_size=5))
    )


def _sized_types() -> SearchStrategy[LogicalType]:
    from hypothesis import strategies as st

    lengths = st.integers(1, 300)
    precisions = st.integers(0, 9)
    decimals = st.integers(1, 38).flatmap(lambda p: st.builds(DecimalType, st.just(p), st.integers(0, p)))
    sized = [st.builds(cls, lengths) for cls in (CharType, VarCharType, BinaryType, VarBinaryType)]
    temporal = [st.builds(cls, precisions) for cls in (TimeType, TimestampType, LocalZonedTimestampType, ZonedTimestampType)]
    return st.one_of(decimals, *sized, *temporal)


def _interval_types() -> SearchStrategy[LogicalType]:
    """Intervals whose precisions show in their text; the others keep their defaults."""
    from hypothesis import strategies as st

    year_month = st.sampled_from(YearMonthResolution).flatmap(
        lambda r: st.builds(YearMonthIntervalType, st.just(r), st.just(2) if r is YearMonthResolution.MONTH else st.integers(1, 4))
    )
    day_time = st.sampled_from(DayTimeResolution).flatmap(
        lambda r: st.builds(
            DayTimeIntervalType,
            st.just(r),
            st.integers(1, 6) if r.value.startswith("DAY") else st.just(2),
            st.integers(0, 9) if r.value.endswith("SECOND") else st.just(6),
        )
    )
    return st.one_of(year_month, day_time)


def row_types(types: SearchStrategy[LogicalType] | None = None, *, min_fields: int = 0, max_fields: int = 4) -> SearchStrategy[RowType]:
    """Rows whose fields have the types given; names are unique."""
    from hypothesis import strategies as st

    inner = types if types is not None else logical_types()

    # Drawn step by step: nested strategies have representations of many kilobytes, which Hypothesis warns of.
    @st.composite
    def rows(draw: DrawFn) -> RowType:
        names = draw(st.lists(field_names(), min_size=min_fields, max_size=max_fields, unique=True))
        comment = st.none() | st.text(max_size=5)
        return RowType(tuple(RowField(name, draw(inner), draw(comment)) for name in names), nullable=draw(st.booleans()))

    return rows()


def logical_types(max_depth: int = 3) -> SearchStrategy[LogicalType]:
    """Any type that has text, with at most ``max_depth`` types around one another, nullable or not."""
    from hypothesis import strategies as st

    @st.composite
    def types(draw: DrawFn) -> LogicalType:
        kinds = ("leaf", "leaf", "array", "multiset", "map", "row", "structured") if max_depth > 1 else ("leaf",)
        inner = logical_types(max_depth - 1)
        result: LogicalType
        match draw(st.sampled_from(kinds)):
            case "array":
                result = ArrayType(draw(inner))
            case "multiset":
                result = MultisetType(draw(inner))
            case "map":
                result = MapType(draw(inner), draw(inner))
            case "row":
                result = draw(row_types(inner))
            case "structured":
                result = StructuredType(draw(st.text(max_size=5)), draw(row_types(inner)).fields)
            case _:
                result = draw(leaf_types())
        # NULL NOT NULL can be written, but it has no values.
        return result.with_nullability(isinstance(result, NullType) or draw(st.booleans()))

    return types()
