"""The SQL types that an Arrow type can represent, and the default among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.types as pat

from table_common.exceptions import ValidationException
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
    DistinctType,
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
)

_UNIT_PRECISION = {"s": 0, "ms": 3, "us": 6, "ns": 9}

_PLAIN: dict[pa.DataType, LogicalType] = {
    pa.bool_(): BooleanType(),
    pa.int8(): TinyIntType(),
    pa.int16(): SmallIntType(),
    pa.int32(): IntType(),
    pa.int64(): BigIntType(),
    # The next wider signed type holds every value of an unsigned one.
    pa.uint8(): SmallIntType(),
    pa.uint16(): IntType(),
    pa.uint32(): BigIntType(),
    pa.uint64(): DecimalType(20, 0),
    pa.float16(): FloatType(),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.date32(): DateType(),
    pa.date64(): DateType(),
    pa.null(): NullType(),
}

_STORED_AS: dict[type[LogicalType], pa.DataType] = {
    BooleanType: pa.bool_(),
    TinyIntType: pa.int8(),
    SmallIntType: pa.int16(),
    IntType: pa.int32(),
    BigIntType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    YearMonthIntervalType: pa.int32(),
    NullType: pa.null(),
}
"""Types that only one Arrow type carries."""


def unwrap(type_: pa.DataType) -> pa.DataType:
    """Returns the type of the values: without dictionary, run-end encoding or extension around them."""
    while True:
        if pat.is_dictionary(type_) or pat.is_run_end_encoded(type_):
            type_ = type_.value_type
        elif isinstance(type_, pa.BaseExtensionType):
            type_ = type_.storage_type
        else:
            return type_


def is_text(type_: pa.DataType) -> bool:
    """Returns whether values are text, with offsets of any width or as views."""
    return bool(pat.is_string(type_) or pat.is_large_string(type_) or pat.is_string_view(type_))


def is_bytes(type_: pa.DataType) -> bool:
    """Returns whether values are bytes, of any or of fixed length."""
    return bool(pat.is_binary(type_) or pat.is_large_binary(type_) or pat.is_binary_view(type_) or pat.is_fixed_size_binary(type_))


def is_list_like(type_: pa.DataType) -> bool:
    """Returns whether values are lists in any of Arrow's layouts."""
    return bool(
        pat.is_list(type_)
        or pat.is_large_list(type_)
        or pat.is_fixed_size_list(type_)
        or pat.is_list_view(type_)
        or pat.is_large_list_view(type_)
    )


def agrees_on_null(field: pa.Field, logical: LogicalType) -> bool:
    """Returns whether field and type agree on nullability; Arrow's type null is always nullable."""
    return bool(field.nullable) == (logical.nullable or isinstance(logical, NullType))


def derive_logical_type(type_: pa.DataType, from_field: Callable[[pa.Field], LogicalType]) -> LogicalType:
    """Returns the default SQL type of an Arrow type, nullable; ``from_field`` is called for nested fields.

    Raises:
        ValidationException: There is none.
    """
    type_ = unwrap(type_)
    plain = _PLAIN.get(type_)
    if plain is not None:
        return plain
    if is_text(type_):
        return VarCharType()
    if is_bytes(type_):
        return BinaryType(type_.byte_width) if pat.is_fixed_size_binary(type_) and type_.byte_width > 0 else VarBinaryType()
    if pat.is_decimal(type_):
        return _derive_decimal(type_)
    if pat.is_time(type_):
        return TimeType(_UNIT_PRECISION[type_.unit])
    if pat.is_timestamp(type_):
        precision = _UNIT_PRECISION[type_.unit]
        # Differs from Flink: from_pandas makes a column with a time zone a TIMESTAMP_LTZ. PyFlink makes it a TIMESTAMP in the session's time zone.
        return TimestampType(precision) if type_.tz is None else LocalZonedTimestampType(precision)
    if pat.is_duration(type_):
        return DayTimeIntervalType(DayTimeResolution.SECOND, fractional_precision=_UNIT_PRECISION[type_.unit])
    if is_list_like(type_):
        return ArrayType(from_field(type_.value_field))
    if pat.is_map(type_):
        return MapType(from_field(type_.key_field), from_field(type_.item_field))
    if pat.is_struct(type_):
        return RowType(tuple(RowField(f.name, from_field(f)) for f in (type_.field(i) for i in range(type_.num_fields))))
    raise ValidationException(f"The Arrow type {type_} has no SQL type.", hint=_HINTS.get(type_.id))


_HINTS = {
    pa.month_day_nano_interval().id: "Split it into a year–month interval (int32 months) and a day–time interval (duration).",
    pa.dense_union([]).id: "Use one column per alternative.",
    pa.sparse_union([]).id: "Use one column per alternative.",
}


def _derive_decimal(type_: pa.DataType) -> LogicalType:
    # A negative scale means digits left of the point, a scale above the precision zeros right of it: both are plain decimals in SQL.
    scale = max(type_.scale, 0)
    precision = max(type_.precision + (scale - type_.scale), scale)
    if precision > DecimalType.MAX_PRECISION:
        raise ValidationException(
            f"The Arrow type {type_} has no SQL type: DECIMAL has at most {DecimalType.MAX_PRECISION} digits.",
            hint="Cast the column to decimal128(38, s) or to text.",
        )
    return DecimalType(precision, scale)


def carries(type_: pa.DataType, logical: LogicalType) -> bool:
    """Returns whether data of the Arrow type can be read as the logical type without changing a value's meaning."""
    type_ = unwrap(type_)
    stored_as = _STORED_AS.get(type(logical))
    if stored_as is not None:
        return bool(type_ == stored_as)
    match logical:
        case CharType() | VarCharType() | VariantType():
            return is_text(type_)
        case BinaryType() | VarBinaryType() | RawType() | BitmapType():
            return is_bytes(type_)
        case DateType():
            return bool(pat.is_date(type_))
        case DecimalType():
            return bool(pat.is_decimal(type_)) and type_.scale == logical.scale and type_.precision <= logical.precision
        case TimeType():
            return bool(pat.is_time(type_)) and _fits(type_.unit, logical.precision)
        case TimestampType():
            return bool(pat.is_timestamp(type_)) and type_.tz is None and _fits(type_.unit, logical.precision)
        case LocalZonedTimestampType():
            return bool(pat.is_timestamp(type_)) and type_.tz is not None and _fits(type_.unit, logical.precision)
        case DayTimeIntervalType():
            return bool(pat.is_duration(type_)) and _fits(type_.unit, logical.fractional_precision)
        case DistinctType():
            return carries(type_, logical.source_type)
        case _:
            return _carries_nested(type_, logical)


def _carries_nested(type_: pa.DataType, logical: LogicalType) -> bool:
    match logical:
        case ArrayType():
            return is_list_like(type_) and _field_carries(type_.value_field, logical.element_type)
        case MapType():
            if not pat.is_map(type_):
                return False
            return carries(type_.key_type, logical.key_type) and _field_carries(type_.item_field, logical.value_type)
        case MultisetType():
            return bool(pat.is_map(type_)) and carries(type_.key_type, logical.element_type) and type_.item_type == pa.int32()
        case RowType() | StructuredType():
            return bool(pat.is_struct(type_)) and _fields_carry(type_, logical.fields)
        case _:
            return False


def _fields_carry(type_: pa.DataType, fields: Sequence[RowField]) -> bool:
    if type_.num_fields != len(fields):
        return False
    pairs = [(type_.field(i), f) for i, f in enumerate(fields)]
    return all(arrow.name == f.name and _field_carries(arrow, f.type) for arrow, f in pairs)


def _field_carries(field: pa.Field, logical: LogicalType) -> bool:
    return agrees_on_null(field, logical) and carries(field.type, logical)


def _fits(unit: str, precision: int) -> bool:
    """Returns whether the canonical unit of the precision is as fine as ``unit``."""
    canonical = 6 if precision <= 6 else 9
    return _UNIT_PRECISION[unit] <= canonical
