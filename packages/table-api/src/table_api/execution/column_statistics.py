"""Column statistics of ANALYZE TABLE: the SQL of the aggregates, and the statistics from their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.catalog import (
    CatalogColumnStatisticsData,
    CatalogColumnStatisticsDataBinary,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    Column,
)
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    MapType,
    MultisetType,
    RawType,
    RowType,
    SmallIntType,
    StructuredType,
    TinyIntType,
    VariantType,
    quote_identifier,
)

_FRACTIONS = (FloatType, DoubleType, DecimalType)
_NOT_COMPARED = (ArrayType, MapType, MultisetType, RowType, StructuredType, RawType, VariantType, BinaryStringType)
"""Types without a count of distinct values."""


def aggregates_of(column: Column) -> list[str]:
    """Returns the SQL of the aggregates over a column; the first counts the values that are not NULL."""
    name = quote_identifier(column.name)
    count, distinct = f"COUNT({name})", f"APPROX_COUNT_DISTINCT({name})"
    match column.data_type:
        case BooleanType():
            return [count, f"COUNT(CASE WHEN {name} THEN 1 END)"]
        case DateType() | TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return [count, distinct, f"MIN({name})", f"MAX({name})"]
        case FloatType() | DoubleType() | DecimalType():
            return [count, distinct, f"CAST(MIN({name}) AS DOUBLE)", f"CAST(MAX({name}) AS DOUBLE)"]
        case CharacterType():
            length = f"CHAR_LENGTH({name})"
            return [count, distinct, f"MAX({length})", f"AVG(CAST({length} AS DOUBLE))"]
        case type_ if isinstance(type_, _NOT_COMPARED):
            return [count]
        case _:
            return [count, distinct]


def values_of_no_rows(column: Column) -> list[Any]:
    """Returns the results of a column's aggregates for empty input: counts are 0, the others NULL."""
    return [0 if "COUNT" in aggregate else None for aggregate in aggregates_of(column)]


def statistics_of(column: Column, rows: int, values: Sequence[Any]) -> CatalogColumnStatisticsData:
    """Returns the statistics of a column from the results of ``aggregates_of`` and the row count."""
    count, *others = values
    nulls = rows - count
    match column.data_type:
        case BooleanType():
            return CatalogColumnStatisticsDataBoolean(nulls, others[0], count - others[0])
        case DateType():
            distinct, low, high = others
            return CatalogColumnStatisticsDataDate(nulls, low, high, distinct)
        case type_ if isinstance(type_, EXACT_INTEGERS):
            distinct, low, high = others
            return CatalogColumnStatisticsDataLong(nulls, low, high, distinct)
        case type_ if isinstance(type_, _FRACTIONS):
            distinct, low, high = others
            return CatalogColumnStatisticsDataDouble(nulls, low, high, distinct)
        case CharacterType():
            distinct, longest, average = others
            return CatalogColumnStatisticsDataString(nulls, longest, average, distinct)
        case BinaryStringType():
            return CatalogColumnStatisticsDataBinary(nulls)
        case _:
            return CatalogColumnStatisticsDataLong(nulls, ndv=others[0] if others else None)
