"""Functions from internal structures to a program's values: one for each type and class, made once and called for each value."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, date
from typing import Any

from table_common.data.array import GenericArrayData
from table_common.data.arrow_elements import arrow_elements
from table_common.data.decimal import DecimalData
from table_common.data.dict_keys import hashable
from table_common.data.field_getter import FieldGetter, getter_of
from table_common.data.from_external import Convert, Surroundings
from table_common.data.generic_row import GenericRowData
from table_common.data.map import GenericMapData
from table_common.data.numpy_values import array_of, scalar_of
from table_common.data.raw import RawValueData
from table_common.data.row import Row
from table_common.data.row_data import ArrayData, MapData, RowData
from table_common.data.row_kind import RowKind
from table_common.data.serializer import serializer_for
from table_common.data.string import StringData
from table_common.data.time_interval import IntervalData, TimeData, interval_precision
from table_common.data.timestamp import TimestampData
from table_common.exceptions import TableRuntimeException
from table_common.types.conversion import ARROW_ARRAY, ROW, class_name_of, default_conversion, supports_output_conversion
from table_common.types.logical import (
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
    RawType,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TimeType,
    TinyIntType,
    VariantType,
    YearMonthIntervalType,
)
from table_common.types.period import Period

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_DTYPES: dict[type[LogicalType], str] = {
    BooleanType: "bool",
    TinyIntType: "int8",
    SmallIntType: "int16",
    IntType: "int32",
    BigIntType: "int64",
    FloatType: "float32",
    DoubleType: "float64",
}


def _same(value: Any) -> Any:
    return value


def to_external(type_: LogicalType, class_: type[Any] | None, around: Surroundings) -> Convert:
    """Returns the function from an internal structure, or None for NULL, to an object of the class (the type's default if None).

    Raises:
        ValidationException: Rows hold no values of the type.
    """
    convert = _not_null(type_, default_conversion(type_) if class_ is None else class_, around)
    return convert if convert is _same else (lambda value: None if value is None else convert(value))


def _not_null(type_: LogicalType, class_: type[Any], around: Surroundings) -> Convert:
    match type_:
        case NullType():
            return _same
        case DistinctType(source_type=source):
            return _not_null(source, class_, around)
        case BooleanType() | TinyIntType() | SmallIntType() | IntType() | BigIntType() | FloatType() | DoubleType() | BitmapType():
            return _same if class_ in (bool, int, float, bytes) else class_
        case BinaryStringType():
            return _same if class_ is bytes else class_
        case CharacterType() | VariantType():
            return str if class_ is str else StringData.to_bytes if class_ is bytes else _same
        case DecimalType():
            return _same if class_ is DecimalData else DecimalData.to_big_decimal
        case DateType():
            return _date(class_)
        case TimeType():
            return _time(type_, class_)
        case TimestampType() | LocalZonedTimestampType():
            return _timestamp(type_, class_, around)
        case DayTimeIntervalType():
            return _interval(type_, class_)
        case YearMonthIntervalType():
            return _same if class_ is int else Period
        case RawType():
            return _raw(type_, class_, around)
        case ArrayType():
            return _array(type_, class_, around)
        case MapType(key_type=key, value_type=value):
            return _same if class_ is MapData else _dict(key, value, around)
        case MultisetType(element_type=element):
            return _same if class_ is MapData else _dict(element, IntType(nullable=False), around)
        case RowType() | StructuredType():
            return _same if class_ is RowData else _row(type_, class_, around)
        case _:
            getter_of(type_)
            raise AssertionError(type_)


def _date(class_: type[Any]) -> Convert:
    if class_ is int:
        return _same
    if class_ is date:
        return _to_date
    return lambda days: class_(days, "D")


def _to_date(days: int) -> date:
    try:
        return date.fromordinal(days + _EPOCH_ORDINAL)
    except (ValueError, OverflowError):
        raise TableRuntimeException(
            f"The date of {days} days since 1970-01-01 is outside the range of Python's date (the years 1 to 9999).",
            hint="Take it as numpy.datetime64 or as int.",
        ) from None


def _time(type_: TimeType, class_: type[Any]) -> Convert:
    if TimeData.is_compact(type_.precision):
        if class_ is int:
            return _same
        return TimeData.from_millis if class_ is TimeData else (lambda millis: TimeData.from_millis(millis).to_local_time())
    if class_ is int:
        return TimeData.to_nanos
    return _same if class_ is TimeData else TimeData.to_local_time


def _timestamp(type_: TimestampType | LocalZonedTimestampType, class_: type[Any], around: Surroundings) -> Convert:
    if class_ is TimestampData:
        return _same
    if class_ is int:
        return TimestampData.get_millisecond if TimestampData.is_compact(type_.precision) else _nanos
    if class_.__module__ == "numpy":
        unit, nanos_of_unit = _numpy_unit(type_.precision)
        return lambda value: _numpy_scalar(class_, _nanos(value) // nanos_of_unit, unit, type_)
    if isinstance(type_, TimestampType):
        return TimestampData.to_local_date_time
    zone = around.time_zone
    return TimestampData.to_instant if zone is UTC else (lambda value: value.to_instant().astimezone(zone))


def _nanos(value: TimestampData) -> int:
    return value._millisecond * 1_000_000 + value._nano


def _numpy_unit(precision: int) -> tuple[str, int]:
    """Returns the unit in which numpy's values are given, and how many nanoseconds it is."""
    return ("ms", 1_000_000) if precision <= 3 else ("us", 1_000) if precision <= 6 else ("ns", 1)


def _numpy_scalar(class_: type[Any], number: int, unit: str, type_: LogicalType) -> Any:
    try:
        return scalar_of(class_, number, unit)
    except OverflowError as error:
        raise TableRuntimeException(f"A value of {type_} is outside the range of {class_name_of(class_)}: {error}.") from None


def _interval(type_: DayTimeIntervalType, class_: type[Any]) -> Convert:
    precision = interval_precision(type_)
    compact = IntervalData.is_compact(precision)
    if class_ is int:
        return _same if compact else IntervalData.to_nanos
    if class_ is IntervalData:
        return IntervalData.from_millis if compact else _same
    if class_.__module__ == "numpy":
        unit, nanos_of_unit = _numpy_unit(precision)
        if compact:
            return lambda millis: _numpy_scalar(class_, millis, unit, type_)
        return lambda value: _numpy_scalar(class_, value.to_nanos() // nanos_of_unit, unit, type_)
    return (lambda millis: IntervalData.from_millis(millis).to_duration()) if compact else IntervalData.to_duration


def _raw(type_: RawType, class_: type[Any], around: Surroundings) -> Convert:
    serializer = serializer_for(type_, around.serializers)
    if class_ is RawValueData:
        return _same
    if class_name_of(class_) == type_.class_name:
        return lambda value: value.to_object(serializer)
    return lambda value: value.to_bytes(serializer)


def _internal_elements(element_type: LogicalType) -> Callable[[ArrayData], list[Any]]:
    getter = FieldGetter(element_type, None)

    def elements(value: ArrayData) -> list[Any]:
        if isinstance(value, GenericArrayData):
            return value.to_object_array()
        return [getter(value, position) for position in range(value.size())]

    return elements


def _array(type_: ArrayType, class_: type[Any], around: Surroundings) -> Convert:
    if class_ is ArrayData:
        return _same
    elements = _internal_elements(type_.element_type)
    if class_name_of(class_) == ARROW_ARRAY:
        to_arrow = arrow_elements().to_arrow
        return lambda value: to_arrow(elements(value), type_.element_type, around.serializers)
    convert = to_external(type_.element_type, None, around)
    if class_.__module__ == "numpy":
        # What NULL looks like may not depend on the data, so only elements that are NOT NULL are numbers without objects.
        dtype = "object" if type_.element_type.nullable else _DTYPES.get(type(type_.element_type), "object")
        return lambda value: array_of(class_, [convert(element) for element in elements(value)], dtype)
    if convert is _same:
        return elements if class_ is list else (lambda value: class_(elements(value)))
    if class_ is list:
        return lambda value: [convert(element) for element in elements(value)]
    return lambda value: class_([convert(element) for element in elements(value)])


def _dict(key: LogicalType, value_type: LogicalType, around: Surroundings) -> Convert:
    convert_key, convert_value = to_external(key, None, around), to_external(value_type, None, around)
    keys_of, values_of = _internal_elements(key), _internal_elements(value_type)

    def convert(value: MapData) -> dict[Any, Any]:
        if isinstance(value, GenericMapData):
            entries = list(value.to_dict().items())
        else:
            entries = list(zip(keys_of(value.key_array()), values_of(value.value_array()), strict=True))
        return {hashable(convert_key(k)): convert_value(v) for k, v in entries}

    return convert


def _row(type_: RowType | StructuredType, class_: type[Any], around: Surroundings) -> Convert:
    names = type_.field_names
    classes = {} if class_.__module__ in ("builtins", ROW.rpartition(".")[0]) else _field_classes(type_, class_)
    converts = [to_external(field.type, classes.get(field.name), around) for field in type_.fields]
    getters = [FieldGetter(field.type, position) for position, field in enumerate(type_.fields)]

    def values_of(row: RowData) -> list[Any]:
        if type(row) is GenericRowData and row.arity == len(converts):
            return [convert(value) for convert, value in zip(converts, row._values, strict=True)]
        return [convert(getter(row)) for convert, getter in zip(converts, getters, strict=True)]

    if class_ is Row:
        return lambda row: Row.of_names(names, values_of(row), row.get_row_kind())

    def convert_row(row: RowData) -> Any:
        if row.get_row_kind() is not RowKind.INSERT:
            raise TableRuntimeException(
                f"A {class_.__name__} cannot say that the row is a change of the kind {row.get_row_kind()}.", hint="Take rows as Row."
            )
        values = values_of(row)
        if class_ is tuple:
            return tuple(values)
        by_name = dict(zip(names, values, strict=True))
        return by_name if class_ is dict else class_(**by_name)

    return convert_row


def _field_classes(type_: RowType | StructuredType, class_: type[Any]) -> dict[str, type[Any]]:
    """Returns the classes that a class says for its fields, where the fields' values can be given as such."""
    # Loaded only here: it costs more than all of the values.
    import inspect

    hints: dict[str, Any] = {}
    for base in reversed(class_.__mro__):
        hints.update(inspect.get_annotations(base))
    scope = vars(sys.modules[class_.__module__]) if class_.__module__ in sys.modules else {}
    classes = {}
    for field in type_.fields:
        hint = hints.get(field.name)
        if isinstance(hint, str):
            # Under ``from __future__ import annotations``; only plain names and ``Name | None`` are looked up, nothing is evaluated.
            hint = scope.get(hint.removesuffix(" | None").strip())
        if isinstance(hint, type) and supports_output_conversion(field.type, hint):
            classes[field.name] = hint
    return classes
