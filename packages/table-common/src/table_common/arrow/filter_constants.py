"""Constants of conditions as scalars of the Arrow type of the column that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow.schema import to_arrow_type
from table_common.arrow.time_digits import NANOS_PER_TICK
from table_common.arrow.without_pandas import arrow_array, arrow_scalar
from table_common.expressions import ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
)

_FAMILIES: tuple[tuple[type[LogicalType], ...], ...] = (
    (BooleanType,),
    (*EXACT_INTEGERS, DecimalType),
    APPROXIMATE_NUMERICS,
    (CharacterType,),
    (BinaryStringType,),
    (DateType,),
    (TimeType,),
    (TimestampType,),
    (LocalZonedTimestampType,),
)
"""Types whose values are compared as they are, whatever their precision; a column is compared with constants of its own family alone."""
COMPARABLE = tuple(type_ for family in _FAMILIES for type_ in family)


def constant_of(literal: ValueLiteralExpression, column_type: LogicalType) -> Any:
    """Returns the constant as a scalar of the column's Arrow type; None unless that scalar is exactly the constant."""
    if not are_of_one_family(literal.output_type, column_type):
        return None
    value, arrow_type = literal.value, to_arrow_type(column_type)
    try:
        if isinstance(column_type, TimeType | TimestampType | LocalZonedTimestampType):
            ticks, rest = divmod(value, NANOS_PER_TICK[arrow_type.unit])
            return None if rest else arrow_scalar(ticks, pa.int64()).cast(arrow_type)
        if isinstance(column_type, EXACT_INTEGERS):
            scalar = arrow_scalar(int(value), arrow_type)
        elif isinstance(column_type, DecimalType):
            scalar = arrow_scalar(Decimal(value), arrow_type)
        else:
            scalar = arrow_scalar(value, arrow_type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    stored = scalar.value if isinstance(column_type, DateType) else scalar.as_py()
    return scalar if stored == value else None  # NaN is not equal to itself: it is never translated


def plain_constants(items: Sequence[ResolvedExpression], column_type: LogicalType) -> pa.Array | None:
    """Returns many integers or texts, which are exactly the constants, as one array; None if there may be others among them."""
    if not isinstance(column_type, (*EXACT_INTEGERS, CharacterType)):
        return None
    values, types = [], {}
    for item in items:
        if not isinstance(item, ValueLiteralExpression) or item.value is None:
            return None
        types[id(item.output_type)] = item.output_type
        values.append(item.value)
    wanted = str if isinstance(column_type, CharacterType) else int
    if not all(are_of_one_family(type_, column_type) for type_ in types.values()) or set(map(type, values)) != {wanted}:
        return None
    try:
        return arrow_array(values, to_arrow_type(column_type))
    except (pa.ArrowException, ValueError, OverflowError):
        return None


def are_of_one_family(literal_type: LogicalType, column_type: LogicalType) -> bool:
    """Returns whether both types compare by values of the same kind, so that no conversion stands between constant and column."""
    return any(isinstance(column_type, family) and isinstance(literal_type, family) for family in _FAMILIES)
