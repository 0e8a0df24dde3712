"""Maps logical types to Arrow types; the metadata of an Arrow field has the logical type.

Values: DATE is days; TIME microseconds or nanoseconds of the day; TIMESTAMP and TIMESTAMP_LTZ micro- or nanoseconds since 1970-01-01
(LTZ in UTC); year–month intervals int32 months; day–time intervals durations; VARIANT is JSON text, BITMAP and RAW are bytes. The way back, for
data that we did not write, is ``table_common.arrow.type_derivation``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

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
    TimestampKind,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    ZonedTimestampType,
    parse_logical_type,
)

ROW_KIND_COLUMN = "$row_kind"
"""The name of the int8 column of row kinds after the columns of a changelog batch; readers go by its position."""
LOGICAL_TYPE_KEY = b"table.logical_type"
"""Field metadata: the SQL text of the type."""
COMMENT_KEY = b"table.comment"
"""Field metadata: the field's description, if any."""
TIMESTAMP_KIND_KEY = b"table.timestamp_kind"
"""Field metadata: ``ROWTIME`` or ``PROCTIME``, which the SQL text does not contain."""
EXTENSION_NAME_KEY = b"ARROW:extension:name"

_T = TypeVar("_T", bound=LogicalType)

_PLAIN: dict[type[LogicalType], pa.DataType] = {
    BooleanType: pa.bool_(),
    TinyIntType: pa.int8(),
    SmallIntType: pa.int16(),
    IntType: pa.int32(),
    BigIntType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    CharType: pa.string(),
    VarCharType: pa.string(),
    BinaryType: pa.binary(),
    VarBinaryType: pa.binary(),
    DateType: pa.date32(),
    YearMonthIntervalType: pa.int32(),
    NullType: pa.null(),
    RawType: pa.binary(),
    BitmapType: pa.binary(),
    VariantType: pa.string(),
}
"""The types whose Arrow type does not depend on precision or on other types."""

_EXTENSION_NAMES: dict[type[LogicalType], bytes] = {
    RawType: b"table.raw",
    BitmapType: b"table.bitmap",
    VariantType: b"table.variant",
}
"""Shown to readers that are not ours, so that they do not take the storage for plain text or bytes."""


def to_arrow_type(type_: LogicalType) -> pa.DataType:
    """Returns the canonical Arrow type of ``type_``.

    Raises:
        ValidationException: The type has no Arrow representation (descriptors, symbols, TIMESTAMP WITH TIME ZONE).
    """
    plain = _PLAIN.get(type(type_))
    if plain is not None:
        return plain
    convert = _COMPOSED.get(type(type_))
    if convert is not None:
        return convert(type_)
    hint = (
        "Use TIMESTAMP_LTZ: it keeps the instant, and the session's time zone shows it." if isinstance(type_, ZonedTimestampType) else None
    )
    raise ValidationException(f"Values of the type {type_} cannot be stored or moved.", hint=hint)


def to_arrow_field(name: str, type_: LogicalType, *, comment: str | None = None) -> pa.Field:
    """Returns the Arrow field of a column, with the logical type in its metadata."""
    metadata = {LOGICAL_TYPE_KEY: type_.serializable().encode()}
    if comment is not None:
        metadata[COMMENT_KEY] = comment.encode()
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.kind is not TimestampKind.REGULAR:
        metadata[TIMESTAMP_KIND_KEY] = type_.kind.name.encode()
    extension = _EXTENSION_NAMES.get(type(type_))
    if extension is not None:
        metadata[EXTENSION_NAME_KEY] = extension
    return pa.field(name, to_arrow_type(type_), nullable=type_.nullable or isinstance(type_, NullType), metadata=metadata)


def to_arrow_schema(row_type: RowType) -> pa.Schema:
    """Returns the Arrow schema of rows of the type.

    Example:
        >>> from table_common.types import IntType
        >>> to_arrow_schema(RowType.of([("id", IntType())])).names
        ['id']
    """
    return pa.schema([to_arrow_field(f.name, f.type, comment=f.description) for f in row_type.fields])


def from_arrow_field(field: pa.Field) -> LogicalType:
    """Returns the logical type of a field: that of its metadata if the Arrow type can represent it, else the type derived from the Arrow type.

    Raises:
        ValidationException: There is no SQL type for the Arrow type.
    """
    metadata = field.metadata or {}
    text = metadata.get(LOGICAL_TYPE_KEY)
    from table_common.arrow.type_derivation import agrees_on_null, carries, derive_logical_type  # few columns need it

    if text is not None:
        declared = _parse_metadata(text)
        if declared is not None and agrees_on_null(field, declared) and carries(field.type, declared):
            return _with_kind(declared, metadata.get(TIMESTAMP_KIND_KEY))
    try:
        return derive_logical_type(field.type, from_arrow_field).with_nullability(field.nullable)
    except ValidationException as error:
        raise ValidationException(f"Column '{field.name}': {error.message}", hint=error.hint) from None


def from_arrow_schema(schema: pa.Schema) -> RowType:
    """Returns the row type of a schema; it is NOT NULL, as a row of a table is.

    Raises:
        ValidationException: A column's Arrow type has no SQL type; the message names the column.
    """
    fields = []
    for field in schema:
        comment = (field.metadata or {}).get(COMMENT_KEY)
        fields.append(RowField(field.name, from_arrow_field(field), None if comment is None else comment.decode()))
    return RowType(tuple(fields), nullable=False)


def _parse_metadata(text: bytes) -> LogicalType | None:
    """Returns the type, or None where another program wrote something else under our key."""
    try:
        return parse_logical_type(text.decode(), allow_zero_length=True)
    except (ValidationException, UnicodeDecodeError):
        return None


def _with_kind(type_: LogicalType, kind: bytes | None) -> LogicalType:
    if kind is None or kind.decode() not in TimestampKind.__members__:
        return type_
    timestamp_kind = TimestampKind[kind.decode()]
    if isinstance(type_, TimestampType):
        return TimestampType(type_.precision, nullable=type_.nullable, kind=timestamp_kind)
    if isinstance(type_, LocalZonedTimestampType):
        return LocalZonedTimestampType(type_.precision, nullable=type_.nullable, kind=timestamp_kind)
    return type_


# Types with a precision or with nested types.


def _decimal(type_: DecimalType) -> pa.DataType:
    return pa.decimal128(type_.precision, type_.scale)


def _time(type_: TimeType) -> pa.DataType:
    return pa.time64("us" if type_.precision <= 6 else "ns")


def _timestamp(type_: TimestampType) -> pa.DataType:
    return pa.timestamp("us" if type_.precision <= 6 else "ns")


def _timestamp_ltz(type_: LocalZonedTimestampType) -> pa.DataType:
    return pa.timestamp("us" if type_.precision <= 6 else "ns", "UTC")


def _day_time(type_: DayTimeIntervalType) -> pa.DataType:
    # Without seconds the text does not contain the precision, so it must not matter.
    precision = type_.fractional_precision if type_.resolution.value.endswith("SECOND") else 6
    return pa.duration("ms" if precision <= 3 else "us" if precision <= 6 else "ns")


def _array(type_: ArrayType) -> pa.DataType:
    return pa.list_(to_arrow_field("item", type_.element_type))


def _map(type_: MapType) -> pa.DataType:
    # Arrow's map keys are never null, even if nullable in SQL; writing a NULL key is an error.
    return pa.map_(to_arrow_field("key", type_.key_type).with_nullable(False), to_arrow_field("value", type_.value_type))


def _multiset(type_: MultisetType) -> pa.DataType:
    return pa.map_(to_arrow_field("key", type_.element_type).with_nullable(False), pa.field("value", pa.int32(), nullable=False))


def _struct(type_: RowType | StructuredType) -> pa.DataType:
    return pa.struct([to_arrow_field(f.name, f.type, comment=f.description) for f in type_.fields])


def _distinct(type_: DistinctType) -> pa.DataType:
    return to_arrow_type(type_.source_type)


_COMPOSED: dict[type[LogicalType], Callable[[LogicalType], pa.DataType]] = {}


def _register(class_: type[_T], convert: Callable[[_T], pa.DataType]) -> None:
    _COMPOSED[class_] = convert  # type: ignore[assignment]  # looked up by the exact class of the argument


_register(DecimalType, _decimal)
_register(TimeType, _time)
_register(TimestampType, _timestamp)
_register(LocalZonedTimestampType, _timestamp_ltz)
_register(DayTimeIntervalType, _day_time)
_register(ArrayType, _array)
_register(MapType, _map)
_register(MultisetType, _multiset)
_register(RowType, _struct)
_register(StructuredType, _struct)
_register(DistinctType, _distinct)
