"""CAST and TRY_CAST: the table of conversions by the families of source and target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_scalar, to_arrow_type
from table_common.arrow import compute as pc
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    NUMERICS,
    BinaryStringType,
    BitmapType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    RawType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
)
from table_runtime.casts import from_text, numbers, temporal, to_text
from table_runtime.casts.nested import cast_elements, nested_to_text
from table_runtime.evaluation_context import EvaluationContext

_Caster = Callable[[Any, LogicalType, LogicalType, EvaluationContext], Any]
_Writer = Callable[[Any, LogicalType, EvaluationContext], Any]

_STRING = VarCharType()


def cast(value: Any, source: LogicalType, target: LogicalType, context: EvaluationContext, *, null_on_failure: bool = False) -> Any:
    """Converts an array or scalar from one type to another.

    Args:
        value: an array or scalar of the source's Arrow type.
        source: the type of ``value``.
        target: the type of the result.
        context: has the session's time zone, for TIMESTAMP_LTZ.
        null_on_failure: whether values that cannot be converted become NULL, as in TRY_CAST.

    Raises:
        TableRuntimeException: a value cannot be converted.
        TableException: there is no cast between the types.
    """
    if isinstance(value, pa.Scalar):
        if not value.is_valid:
            return arrow_scalar(None, to_arrow_type(target))
        return cast(pa.repeat(value, 1), source, target, context, null_on_failure=null_on_failure)[0]
    has_null = _is_null_without_room(source, target)
    source, target = _undistinct(source), _undistinct(target)
    if isinstance(source, NullType) or len(value) == value.null_count:
        return pa.nulls(len(value), to_arrow_type(target))
    result = _convert(value, source, target, context, null_on_failure or context.legacy_casts)
    if context.legacy_casts:
        return result
    if not null_on_failure and result.null_count > value.null_count:
        lost = pc.and_(pc.is_valid(value), pc.is_null(result))
        if has_null:
            if not pa.types.is_floating(value.type):
                return result
            lost = pc.and_(lost, pc.invert(pc.is_finite(value)))
            if pc.any(lost).as_py() is not True:
                return result
        failing = pc.filter(value, lost)
        shown = _convert(failing.slice(0, 1), source, _STRING, context, True)[0].as_py()
        raise TableRuntimeException(
            f"Cannot cast {shown!r} of type {source.summary()} to {target.summary()}.",
            hint="TRY_CAST returns NULL for such values.",
        )
    return result


def can_fail(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether a CAST between the types can fail on some value."""
    if _is_null_without_room(source, target) and not isinstance(source, APPROXIMATE_NUMERICS):
        return False
    source, target = _undistinct(source), _undistinct(target)
    if isinstance(source, NullType) or (isinstance(target, CharacterType | BooleanType) and not isinstance(source, CharacterType)):
        return False
    if isinstance(source, CharacterType):
        return not isinstance(target, CharacterType | BinaryStringType)
    if isinstance(source, EXACT_INTEGERS) and isinstance(target, EXACT_INTEGERS):
        return EXACT_INTEGERS.index(type(source)) > EXACT_INTEGERS.index(type(target))
    if isinstance(source, BooleanType):
        return isinstance(target, DecimalType)
    if isinstance(target, APPROXIMATE_NUMERICS):
        return False
    return not isinstance(source, _DATE_TIMES) or not isinstance(target, _DATE_TIMES)


def _is_null_without_room(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether a number with too many digits becomes NULL: in a nullable DECIMAL, as in Flink; it is an error where NULL cannot be."""
    while isinstance(source, DistinctType):
        source = source.source_type
    return isinstance(target, DecimalType) and target.nullable and isinstance(source, NUMERICS)


def _convert(value: Any, source: LogicalType, target: LogicalType, context: EvaluationContext, null_on_failure: bool) -> Any:
    """Converts an array; values that cannot be converted become NULL."""
    if isinstance(target, CharacterType):
        if context.legacy_casts:
            text = _text(value, source, context)
            return pc.utf8_lower(text) if isinstance(source, BooleanType) else text
        if isinstance(source, CharacterType) and source.length <= target.length and isinstance(target, VarCharType):
            return value
        return to_text.fit_text(_text(value, source, context), target)
    if isinstance(target, BinaryStringType) and isinstance(source, CharacterType | BinaryStringType | BitmapType | RawType):
        return to_text.fit_binary(to_text.text_to_binary(value) if isinstance(source, CharacterType) else value, target)
    if source.with_nullability(True) == target.with_nullability(True):
        return value
    caster = _CASTERS.get((_family(source), _family(target)))
    if caster is not None:
        return caster(value, source, target, context)
    if (_family(source) == _family(target) and _family(source) in _NESTED) or (
        isinstance(source, RowType | StructuredType) and isinstance(target, RowType | StructuredType)
    ):
        return _cast_nested(value, source, target, context, null_on_failure)
    raise TableException(f"There is no cast from {source} to {target}.")


def _cast_nested(value: Any, source: LogicalType, target: LogicalType, context: EvaluationContext, null_on_failure: bool) -> Any:
    def strictly(part: Any) -> Any:
        return cast_elements(part, source, target, lambda child, from_type, to_type: cast(child, from_type, to_type, context))

    if not null_on_failure:
        return strictly(value)
    try:
        return strictly(value)
    except TableRuntimeException:
        # An element cannot be converted, so its whole value is NULL: convert row by row to find such values.
        rows = []
        for index in range(len(value)):
            try:
                rows.append(strictly(value.slice(index, 1)))
            except TableRuntimeException:
                rows.append(pa.nulls(1, to_arrow_type(target)))
        return pa.concat_arrays(rows)


def _text(value: Any, source: LogicalType, context: EvaluationContext) -> Any:
    if isinstance(source, CharacterType | VariantType):
        return value
    writer = _WRITERS.get(_family(source))
    if writer is not None:
        return writer(value, source, context)
    if isinstance(source, RowType | StructuredType) or _family(source) in _NESTED:
        return nested_to_text(value, source, lambda child, child_type: cast(child, child_type, _STRING, context))
    raise TableException(f"There is no cast from {source} to STRING.")


def _undistinct(logical_type: LogicalType) -> LogicalType:
    while isinstance(logical_type, DistinctType):
        logical_type = logical_type.source_type
    return replace(logical_type, nullable=True)


_DATE_TIMES = (DateType, TimeType, TimestampType, LocalZonedTimestampType)
_NESTED = ("ARRAY", "MAP", "MULTISET")
_FAMILIES: dict[type[LogicalType], str] = (
    dict.fromkeys(EXACT_INTEGERS, "INTEGER")
    | dict.fromkeys(APPROXIMATE_NUMERICS, "APPROXIMATE")
    | {
        DecimalType: "DECIMAL",
        BooleanType: "BOOLEAN",
        DateType: "DATE",
        TimeType: "TIME",
        TimestampType: "TIMESTAMP",
        LocalZonedTimestampType: "LTZ",
        YearMonthIntervalType: "MONTHS",
        DayTimeIntervalType: "DURATION",
    }
)


def _family(logical_type: LogicalType) -> str:
    if isinstance(logical_type, CharacterType):
        return "TEXT"
    if isinstance(logical_type, BinaryStringType):
        return "BINARY"
    return _FAMILIES.get(type(logical_type), logical_type.ROOT)


_WRITERS: dict[str, _Writer] = {
    "BOOLEAN": to_text.boolean_to_text,
    "INTEGER": to_text.number_to_text,
    "DECIMAL": to_text.number_to_text,
    "APPROXIMATE": to_text.approximate_to_text,
    "DATE": to_text.date_to_text,
    "TIME": to_text.time_to_text,
    "TIMESTAMP": to_text.timestamp_to_text,
    "LTZ": to_text.ltz_to_text,
    "MONTHS": to_text.year_month_to_text,
    "DURATION": to_text.day_time_to_text,
    "BINARY": to_text.binary_to_text,
    "BITMAP": to_text.bitmap_to_text,
    "RAW": to_text.binary_to_text,
}

_CASTERS: dict[tuple[str, str], _Caster] = {
    ("INTEGER", "INTEGER"): numbers.number_to_integer,
    ("DECIMAL", "INTEGER"): numbers.number_to_integer,
    ("APPROXIMATE", "INTEGER"): numbers.number_to_integer,
    ("BOOLEAN", "INTEGER"): numbers.boolean_to_number,
    ("TEXT", "INTEGER"): from_text.text_to_integer,
    ("MONTHS", "INTEGER"): numbers.number_to_integer,
    ("DURATION", "INTEGER"): temporal.day_time_to_integer,
    ("INTEGER", "APPROXIMATE"): numbers.number_to_approximate,
    ("DECIMAL", "APPROXIMATE"): numbers.number_to_approximate,
    ("APPROXIMATE", "APPROXIMATE"): numbers.number_to_approximate,
    ("BOOLEAN", "APPROXIMATE"): numbers.boolean_to_number,
    ("TEXT", "APPROXIMATE"): from_text.text_to_approximate,
    ("INTEGER", "DECIMAL"): numbers.number_to_decimal,
    ("DECIMAL", "DECIMAL"): numbers.number_to_decimal,
    ("APPROXIMATE", "DECIMAL"): numbers.number_to_decimal,
    ("BOOLEAN", "DECIMAL"): numbers.boolean_to_number,
    ("TEXT", "DECIMAL"): from_text.text_to_decimal,
    ("INTEGER", "BOOLEAN"): numbers.number_to_boolean,
    ("DECIMAL", "BOOLEAN"): numbers.number_to_boolean,
    ("APPROXIMATE", "BOOLEAN"): numbers.number_to_boolean,
    ("TEXT", "BOOLEAN"): from_text.text_to_boolean,
    ("TEXT", "DATE"): from_text.text_to_date,
    ("TIMESTAMP", "DATE"): temporal.timestamp_to_date,
    ("LTZ", "DATE"): temporal.ltz_to_date,
    ("TEXT", "TIME"): from_text.text_to_time,
    ("TIME", "TIME"): temporal.change_precision,
    ("TIMESTAMP", "TIME"): temporal.timestamp_to_time,
    ("LTZ", "TIME"): temporal.ltz_to_time,
    ("TEXT", "TIMESTAMP"): from_text.text_to_timestamp,
    ("DATE", "TIMESTAMP"): temporal.date_to_timestamp,
    ("TIME", "TIMESTAMP"): temporal.time_to_timestamp,
    ("TIMESTAMP", "TIMESTAMP"): temporal.change_precision,
    ("LTZ", "TIMESTAMP"): temporal.ltz_to_timestamp,
    ("TEXT", "LTZ"): from_text.text_to_ltz,
    ("DATE", "LTZ"): temporal.date_to_ltz,
    ("TIME", "LTZ"): temporal.time_to_ltz,
    ("TIMESTAMP", "LTZ"): temporal.timestamp_to_ltz,
    ("LTZ", "LTZ"): temporal.change_precision,
    ("MONTHS", "MONTHS"): numbers.number_to_integer,
    ("INTEGER", "MONTHS"): numbers.number_to_integer,
    ("DECIMAL", "MONTHS"): numbers.number_to_integer,
    ("DURATION", "DURATION"): temporal.day_time_to_day_time,
    ("INTEGER", "DURATION"): temporal.integer_to_day_time,
}
