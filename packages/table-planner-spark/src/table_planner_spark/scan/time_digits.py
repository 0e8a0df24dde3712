"""Cuts times that Spark reads to the digits of their columns: Spark's timestamps have microseconds whatever type is declared.

Spark cannot push conditions on cut values into files. So the scan gets the conditions on the stored values that follow from those.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from table_api_bridge import MAX_NATIVE_PRECISION
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison, conversion
from table_common.types import (
    ArrayType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowField,
    RowType,
    StructuredType,
    TimestampType,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.literal import to_spark_literal

_Timestamp = TimestampType | LocalZonedTimestampType
_YEARS = (-62_135_596_800 * 10**9, 253_402_300_800 * 10**9)
"""The nanoseconds since 1970 of the years 1 and 10000: other constants are not written."""
_LONGS = (-(2**63), 2**63)


def cut_times(text: str, type_: LogicalType) -> str:
    """Returns Spark SQL for a value whose timestamps are cut to the digits of their types; the text itself if the type has none to cut."""
    return to_spark_cast(text, _stored_type(type_), type_)


def _stored_timestamp(type_: _Timestamp) -> _Timestamp:
    return type(type_)(MAX_NATIVE_PRECISION if type_.precision <= MAX_NATIVE_PRECISION else 9, nullable=type_.nullable)


def _stored_type(type_: LogicalType) -> LogicalType:
    """Returns the type with the digits that Spark's encoding of its timestamps can have."""
    nullable = type_.nullable
    match type_:
        case TimestampType() | LocalZonedTimestampType():
            return _stored_timestamp(type_)
        case ArrayType():
            return ArrayType(_stored_type(type_.element_type), nullable=nullable)
        case MultisetType():
            return MultisetType(_stored_type(type_.element_type), nullable=nullable)
        case MapType():
            return MapType(_stored_type(type_.key_type), _stored_type(type_.value_type), nullable=nullable)
        case RowType():
            return RowType(tuple(RowField(f.name, _stored_type(f.type)) for f in type_.fields), nullable=nullable)
        case StructuredType():
            return StructuredType(type_.class_name, tuple(RowField(f.name, _stored_type(f.type)) for f in type_.fields), nullable=nullable)
        case _:
            return type_


def bounds_of_stored_times(conditions: Sequence[ResolvedExpression], columns: Mapping[str, str], names: Collection[str]) -> list[str]:
    """Returns Spark SQL that is true for the stored values of all rows for which the conditions are TRUE of the cut values.

    Args:
        conditions: conjuncts over columns by name; those that are no comparisons of a timestamp with constants are left out.
        columns: the SQL text of the stored value of each column.
        names: the columns that are cut.
    """
    texts = []
    for condition in conditions:
        if not isinstance(condition, CallExpression) or not condition.args:
            continue
        function, (first, *others) = condition.function, condition.args
        if isinstance(first, ValueLiteralExpression) and len(others) == 1 and function in comparison.MIRRORED:
            function, first, others = comparison.MIRRORED[function], others[0], [first]
        column = _column(first)
        if column is None or column.name not in names:
            continue
        type_ = column.output_type
        assert isinstance(type_, (TimestampType, LocalZonedTimestampType))
        low, high = _bounds(function, others, type_)
        stored = _stored_timestamp(type_)
        first_value, end = _YEARS if stored.precision <= MAX_NATIVE_PRECISION else _LONGS
        texts += [
            f"{columns[column.name]} {operator} {to_spark_literal(ValueLiteralExpression(nanos, stored.not_null()))}"
            for operator, nanos in ((">=", low), ("<", high))
            if nanos is not None and first_value <= nanos < end
        ]
    return texts


def _column(expression: ResolvedExpression) -> FieldReferenceExpression | None:
    """Returns the column of timestamps that the expression is, also under casts to more digits."""
    while isinstance(expression, CallExpression) and expression.function is conversion.CAST:
        inner = expression.args[0]
        source, target = inner.output_type, expression.output_type
        if not (isinstance(source, _Timestamp) and type(source) is type(target) and source.precision <= target.precision):
            return None
        expression = inner
    return expression if isinstance(expression, FieldReferenceExpression) and isinstance(expression.output_type, _Timestamp) else None


def _bounds(function: object, constants: Sequence[ResolvedExpression], type_: _Timestamp) -> tuple[int | None, int | None]:
    """Returns the least stored value, and the one after the greatest, that a comparison can hold for; None where there is no bound."""
    values = [constant.value for constant in constants if isinstance(constant, ValueLiteralExpression) and constant.value is not None]
    if not values or len(values) < len(constants) or not all(type(constant.output_type) is type(type_) for constant in constants):
        return None, None
    step = 10 ** (9 - type_.precision)
    low, high = min(values) // step * step, max(values) // step * step + step
    match function:
        case comparison.EQUALS | comparison.IN | comparison.BETWEEN:
            return low, high
        case comparison.GREATER_THAN | comparison.GREATER_THAN_OR_EQUAL:
            return low, None
        case comparison.LESS_THAN | comparison.LESS_THAN_OR_EQUAL:
            return None, high
        case _:
            return None, None
