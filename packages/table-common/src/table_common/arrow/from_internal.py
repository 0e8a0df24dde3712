"""Converts lists of internal structures to Arrow arrays, column by column, and finds the value that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow.schema import to_arrow_type
from table_common.arrow.to_internal import floor_divmod, nanos_of_unit
from table_common.data import (
    ArrayData,
    DecimalData,
    FieldGetter,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    MapData,
    RawValueData,
    RowData,
    StringData,
    TimeData,
    TimestampData,
    TypeSerializer,
)
from table_common.data.conversion_error import ValueMismatch
from table_common.data.serializer import serializer_for
from table_common.data.time_interval import interval_precision
from table_common.exceptions import ValidationException
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    ArrayType,
    BinaryStringType,
    BitmapType,
    BooleanType,
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

Serializers = Mapping[str, TypeSerializer[Any]]
"""Class names of RAW types → their serializers."""


def build_internal(values: Sequence[Any], type_: LogicalType, where: str, serializers: Serializers | None = None) -> pa.Array:
    """Returns the array of the internal structures in the canonical Arrow type of ``type_``; None is NULL.

    Raises:
        ValidationException: A value does not fit, is no internal structure of the type, or needs a serializer that is not given.
    """
    given = serializers or {}
    try:
        return _build(values, type_, given)
    except ValueMismatch as first:
        for number, value in enumerate(values, 1):
            try:
                _build([value], type_, given)
            except ValueMismatch as mismatch:
                raise ValidationException(mismatch.within(f"{where}, row {number}").message()) from mismatch.__cause__
        raise ValidationException(first.within(where).message()) from first.__cause__


def field_columns(rows: Sequence[RowData | None], types: Sequence[LogicalType]) -> list[list[Any]]:
    """Returns the values of the rows' fields, field by field; those of a row that is None are None."""
    if not rows:
        return [[] for _ in types]
    getters = [FieldGetter(type_, position) for position, type_ in enumerate(types)]
    absent = [None] * len(types)
    values = [
        row._values if isinstance(row, GenericRowData) else absent if row is None else [getter(row) for getter in getters] for row in rows
    ]
    return [list(column) for column in zip(*values, strict=True)]


def _build(values: Sequence[Any], type_: LogicalType, serializers: Serializers) -> pa.Array:
    if not type_.nullable and not isinstance(type_, NullType) and any(value is None for value in values):
        raise ValueMismatch(None, type_, "it is NULL")
    match type_:
        case ArrayType():
            return _lists(values, type_, serializers)
        case MapType(key_type=key, value_type=value):
            return _maps(values, type_, key, value, serializers)
        case MultisetType(element_type=element):
            return _maps(values, type_, element, IntType(nullable=False), serializers)
        case RowType() | StructuredType():
            return _structs(values, type_, serializers)
        case DistinctType(source_type=source):
            return _build(values, source.with_nullability(type_.nullable), serializers)
        case RawType():
            _require(values, RawValueData, type_)
            serializer = serializer_for(type_, serializers)
            return pa.array([None if value is None else value.to_bytes(serializer) for value in values], pa.binary())
        case _:
            try:
                return _leaf(values, type_)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                for value in values if len(values) > 1 else ():
                    _build([value], type_, serializers)
                raise ValueMismatch(values[0] if len(values) == 1 else values, type_, _reason(error, type_)) from error


def _reason(error: Exception, type_: LogicalType) -> str:
    if isinstance(type_, DecimalType):
        return f"it needs more digits than {type_.precision - type_.scale} before and {type_.scale} after the point"
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)):
        return (
            f"its precision is stored in nanoseconds of 64 bits, for the years 1677 to 2262 ({error})"
            if type_.precision > 6
            else str(error)
        )
    return str(error)


def _require(values: Sequence[Any], class_: type[Any], type_: LogicalType) -> None:
    # One pass at C speed; only what is not exactly of the class is looked at value by value.
    if set(map(type, values)) <= {class_, type(None)}:
        return
    for value in values:
        if value is not None and (not isinstance(value, class_) or (isinstance(value, bool) and class_ is not bool)):
            raise ValueMismatch(value, type_, f"its internal structure is {class_.__name__}")


def _leaf(values: Sequence[Any], type_: LogicalType) -> pa.Array:
    target = to_arrow_type(type_)
    match type_:
        case CharacterType() | VariantType():
            _require(values, StringData, type_)
            # The bytes are known to be UTF-8, so they are not looked at again.
            return pa.array([None if value is None else value._bytes for value in values], pa.binary()).view(pa.string())
        case DecimalType():
            _require(values, DecimalData, type_)
            return _decimals(values, type_)
        case DateType():
            _require(values, int, type_)
            return pc.cast(pa.array(values, pa.int32()), target)
        case TimestampType(precision=precision) | LocalZonedTimestampType(precision=precision):
            _require(values, TimestampData, type_)
            return _timestamps(values, precision, target)
        case TimeType(precision=precision):
            return _nanoseconds(values, type_, TimeData, precision, target)
        case DayTimeIntervalType():
            return _nanoseconds(values, type_, IntervalData, interval_precision(type_), target)
        case BinaryStringType() | BitmapType():
            _require(values, bytes, type_)
        case BooleanType():
            _require(values, bool, type_)
        case YearMonthIntervalType():
            _require(values, int, type_)
        case NullType():
            _require(values, type(None), type_)
        case _ if isinstance(type_, EXACT_INTEGERS):
            _require(values, int, type_)
        case _ if isinstance(type_, APPROXIMATE_NUMERICS):
            _require(values, float, type_)
    return pa.array(values, target)


def _decimals(values: Sequence[Any], type_: DecimalType) -> pa.Array:
    target = pa.decimal128(type_.precision, type_.scale)
    if any(value is not None and value._scale != type_.scale for value in values):
        values = [None if value is None else _rescaled(value, type_) for value in values]
    unscaled = [None if value is None else value._unscaled for value in values]
    if type_.precision <= 18:
        whole = pc.cast(pa.array(unscaled, pa.int64()), pa.decimal128(19, 0))
    else:
        data = b"".join([(0 if number is None else number).to_bytes(16, "little", signed=True) for number in unscaled])
        validity = pa.array([number is not None for number in unscaled], pa.bool_()).buffers()[1]
        whole = pa.Array.from_buffers(pa.decimal128(38, 0), len(unscaled), [validity, pa.py_buffer(data)])
    # The cast refuses what has too many digits; then the same memory is read with the scale.
    checked = pc.cast(whole, pa.decimal128(type_.precision, 0))
    return pa.Array.from_buffers(target, len(checked), checked.buffers())


def _rescaled(value: DecimalData, type_: DecimalType) -> DecimalData:
    result = DecimalData._exactly(value.to_big_decimal(), type_.precision, type_.scale)
    if result is None:
        raise pa.ArrowInvalid("the scale is another")
    return result


def _timestamps(values: Sequence[Any], precision: int, target: pa.DataType) -> pa.Array:
    millis = pa.array([None if value is None else value._millisecond for value in values], pa.int64())
    nanos = pa.array([None if value is None else value._nano for value in values], pa.int64())
    unit = nanos_of_unit(target.unit)
    per_milli = 1_000_000 // unit
    # Before 1970 from the millisecond above: the product with the one below may not fit where the sum does.
    before = pc.cast(pc.less(millis, 0), pa.int64())
    rest = pc.subtract(floor_divmod(nanos, unit)[0], pc.multiply(before, per_milli))
    numbers = pc.add_checked(pc.multiply_checked(pc.add(millis, before), per_milli), rest)
    step = 10 ** (9 - precision) // unit
    if step > 1:
        numbers = pc.subtract_checked(numbers, floor_divmod(numbers, step)[1])
    return pc.cast(numbers, target)


def _nanoseconds(
    values: Sequence[Any], type_: LogicalType, class_: type[TimeData | IntervalData], precision: int, target: pa.DataType
) -> pa.Array:
    unit = nanos_of_unit(target.unit)
    if class_.is_compact(precision):
        _require(values, int, type_)
        numbers = pc.multiply_checked(pa.array(values, pa.int64()), 1_000_000 // unit)
        in_day = pc.and_(pc.greater_equal(numbers, 0), pc.less(numbers, 86_400_000_000_000 // unit))
        if class_ is TimeData and pc.all(in_day).as_py() is False:
            # The cast would take it, and showing the value would fail.
            raise pa.ArrowInvalid("it is not within a day")
    else:
        _require(values, class_, type_)
        numbers = pa.array([None if value is None else value._nanos // unit for value in values], pa.int64())
    return pc.cast(numbers, target)


def _mask(values: Sequence[Any]) -> pa.Array | None:
    nulls = [value is None for value in values]
    return pa.array(nulls, pa.bool_()) if any(nulls) else None


def _offsets(sizes: Sequence[int]) -> pa.Array:
    offsets = [0]
    for size in sizes:
        offsets.append(offsets[-1] + size)
    return pa.array(offsets, pa.int32())


def _lists(values: Sequence[Any], type_: ArrayType, serializers: Serializers) -> pa.Array:
    _require(values, ArrayData, type_)
    arrays: list[ArrayData] = [value for value in values if value is not None]
    try:
        elements = _primitives(arrays, type_.element_type)
        if elements is None:
            elements = _build(_elements(arrays, type_.element_type), type_.element_type, serializers)
    except ValueMismatch as mismatch:
        raise mismatch.within("an element") from mismatch.__cause__
    offsets = _offsets([0 if value is None else value.size() for value in values])
    return pa.ListArray.from_arrays(offsets, elements, type=to_arrow_type(type_), mask=_mask(values))


def _primitives(arrays: Sequence[ArrayData], element_type: LogicalType) -> pa.Array | None:
    """Returns the elements without making an object of any, if all arrays are primitive and of the type's own format."""
    target = to_arrow_type(element_type)
    if not isinstance(element_type, (*EXACT_INTEGERS, *APPROXIMATE_NUMERICS)) or not arrays:
        return None
    format_ = {pa.int8(): "b", pa.int16(): "h", pa.int32(): "i", pa.int64(): "q", pa.float32(): "f", pa.float64(): "d"}[target]
    views = [a.primitive_view() for a in arrays if isinstance(a, GenericArrayData) and a.is_primitive_array()]
    if len(views) < len(arrays) or any(view.format != format_ for view in views):
        return None
    data = b"".join(views)
    return pa.Array.from_buffers(target, sum(len(view) for view in views), [None, pa.py_buffer(data)])


def _elements(arrays: Sequence[ArrayData], element_type: LogicalType) -> list[Any]:
    getter: Callable[..., Any] | None = None
    parts: list[list[Any]] = []
    for data in arrays:
        if isinstance(data, GenericArrayData):
            parts.append(data.to_object_array())
        else:
            getter = getter or FieldGetter(element_type, None)
            parts.append([getter(data, position) for position in range(data.size())])
    return list(chain.from_iterable(parts))


def _maps(values: Sequence[Any], type_: LogicalType, key: LogicalType, value_type: LogicalType, serializers: Serializers) -> pa.Array:
    _require(values, MapData, type_)
    maps: list[MapData] = [value for value in values if value is not None]
    generic = [m._map for m in maps if isinstance(m, GenericMapData)]
    if len(generic) == len(maps):
        flat_keys, flat_values = list(chain.from_iterable(generic)), list(chain.from_iterable(m.values() for m in generic))
    else:
        flat_keys = _elements([m.key_array() for m in maps], key)
        flat_values = _elements([m.value_array() for m in maps], value_type)
    try:
        keys = _build(flat_keys, key.not_null(), serializers)
        items = _build(flat_values, value_type, serializers)
    except ValueMismatch as mismatch:
        raise mismatch.within("a key or value") from mismatch.__cause__
    offsets = _offsets([0 if value is None else value.size() for value in values])
    return pa.MapArray.from_arrays(offsets, keys, items, type=to_arrow_type(type_), mask=_mask(values))


def _structs(values: Sequence[Any], type_: RowType | StructuredType, serializers: Serializers) -> pa.Array:
    _require(values, RowData, type_)
    target = to_arrow_type(type_)
    for value in values:
        if value is not None and value.arity != len(type_.fields):
            raise ValueMismatch(value, type_, f"it takes {len(type_.fields)} values, but has {value.arity}")
    if not type_.fields:
        return pa.array([None if value is None else {} for value in values], target)
    children = []
    for field, column in zip(type_.fields, field_columns(values, type_.field_types), strict=True):
        try:
            if not field.type.nullable and any(v is not None and item is None for v, item in zip(values, column, strict=True)):
                raise ValueMismatch(None, field.type, "it is NULL")
            # Fields of a NULL row are NULL, even if their type is NOT NULL.
            children.append(_build(column, field.type.with_nullability(True), serializers))
        except ValueMismatch as mismatch:
            raise mismatch.within(f"field '{field.name}'") from mismatch.__cause__
    return pa.StructArray.from_arrays(children, fields=list(target), mask=_mask(values))
