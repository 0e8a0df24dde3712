"""Converts lists of Python values to Arrow arrays, column by column, and finds the value that does not fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from itertools import chain
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow.python_times import array_of_nanos, from_numpy, have_nanoseconds
from table_common.arrow.schema import to_arrow_type
from table_common.arrow.time_digits import floor_to_precision
from table_common.data.numpy_values import is_numpy
from table_common.data.row import Row
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
    Period,
    PrecisionTimeType,
    RawType,
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

InputRow = Sequence[Any] | Mapping[str, Any] | Row
"""The classes of rows."""

_BYTES = (bytes, bytearray, memoryview)
_CLASSES: dict[type[LogicalType], tuple[type[Any], ...]] = {
    BooleanType: (bool,),
    TinyIntType: (int,),
    SmallIntType: (int,),
    IntType: (int,),
    BigIntType: (int,),
    FloatType: (float, int),
    DoubleType: (float, int),
    DecimalType: (Decimal, int),
    CharType: (str,),
    VarCharType: (str,),
    VariantType: (str,),
    BinaryType: _BYTES,
    VarBinaryType: _BYTES,
    RawType: _BYTES,
    BitmapType: _BYTES,
    DateType: (date,),
    TimeType: (time,),
    TimestampType: (datetime,),
    LocalZonedTimestampType: (datetime,),
    DayTimeIntervalType: (timedelta,),
    YearMonthIntervalType: (Period, int),
    NullType: (),
}
"""The Python classes of each type's values; a subclass that means something else (bool for int, datetime for date) does not count."""
# Differs from Flink: a float is no integer, an int no BOOLEAN, a datetime with a time zone no TIMESTAMP. Of results of functions PyFlink cuts the fraction and drops the zone.


class _ValueMismatch(Exception):
    """A value that does not fit: the value, the reason, and its position inside the column."""

    def __init__(self, value: Any, type_: LogicalType, reason: str) -> None:
        super().__init__(reason)
        self.value = value
        self.type = type_
        self.reason = reason
        self.path = ""


def columns_of(rows: Iterable[InputRow], row_type: RowType) -> tuple[list[list[Any]], int]:
    """Returns the values column by column, and the number of rows.

    Raises:
        ValidationException: A row has too few or too many values, or a name that is no column.
    """
    names = row_type.field_names
    tuples = [_as_tuple(row, names, number) for number, row in enumerate(rows, 1)]
    columns = [list(column) for column in zip(*tuples, strict=True)] if tuples and names else [[] for _ in names]
    return columns, len(tuples)


def _as_tuple(row: InputRow, names: tuple[str, ...], number: int) -> Sequence[Any]:
    if type(row) in (tuple, list) and len(row) == len(names):
        return row  # type: ignore[return-value]  # before the questions to abstract classes, which cost a microsecond
    if isinstance(row, Row) and row.get_field_names() is not None:
        row = row.as_dict()
    if isinstance(row, Mapping):
        for name in row:
            if name not in names:
                raise ValidationException.unknown("Column", str(name), names, where=f"row {number}")
        return [row.get(name) for name in names]
    if isinstance(row, (str, bytes)) or not isinstance(row, (Sequence, Row)):
        raise ValidationException(
            f"Row {number} is {_show(row)}; a row is a tuple, a list, a Row or a dict.",
            hint="A row of one column is written (value,).",
        )
    if len(row) != len(names):
        raise ValidationException(f"Row {number} has {len(row)} values, but {len(names)} columns are declared ({', '.join(names)}).")
    return row if isinstance(row, (tuple, list)) else list(row)


def build_column(values: Sequence[Any], type_: LogicalType, where: str, time_zone: tzinfo | None = None) -> pa.Array:
    """Returns the array of the values in the canonical Arrow type of ``type_``; None is NULL.

    Raises:
        ValidationException: A value does not fit; the message names ``where``, the row (from 1), the type and the value.
    """
    zone = time_zone or UTC
    try:
        return _build(values, type_, zone)
    except _ValueMismatch as first:
        number, mismatch = _first_misfit(values, type_, zone) or (0, first)
        raise ValidationException(
            f"In {where}, row {number}{mismatch.path}: {_show(mismatch.value)} is not a value of {mismatch.type}: {mismatch.reason}."
        ) from first


def _first_misfit(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> tuple[int, _ValueMismatch] | None:
    for number, value in enumerate(values, 1):
        try:
            _build([value], type_, zone)
        except _ValueMismatch as mismatch:
            return number, mismatch
    return None


def _show(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '...'} (class {type(value).__name__})"


def _build(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> pa.Array:
    if not type_.nullable and not isinstance(type_, NullType) and any(value is None for value in values):
        raise _ValueMismatch(None, type_, "it is NULL")
    match type_:
        case ArrayType():
            return _build_lists(values, type_, zone)
        case MapType(key_type=key, value_type=value):
            return _build_maps(values, type_, key, value, zone)
        case MultisetType(element_type=element):
            return _build_maps(values, type_, element, IntType(nullable=False), zone)
        case RowType() | StructuredType():
            return _build_structs(values, type_, zone)
        case DistinctType(source_type=source):
            return _build(values, source.with_nullability(type_.nullable), zone)
        case _:
            return _build_leaf(values, type_, zone)


def _build_leaf(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> pa.Array:
    target = to_arrow_type(type_)
    classes = _CLASSES[type(type_)]
    # One pass at C speed; only columns with other classes are looked at value by value.
    if not set(map(type, values)) <= {*classes, type(None)}:
        values = [value if value is None else _plain(value, classes, type_) for value in values]
    prepare = _PREPARE.get(type(type_))
    if prepare is not None:
        values = prepare(values, type_, zone)
    try:
        array = array_of_nanos(values, type_, target) if have_nanoseconds(values, type_) else pa.array(values, target)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        if len(values) == 1:
            raise _ValueMismatch(values[0], type_, _reason(error, type_)) from error
        for value in values:
            _build_leaf([value], type_, zone)
        raise _ValueMismatch(values, type_, str(error)) from error
    if isinstance(type_, FloatType):
        _refuse_overflow(values, array, type_)
    return floor_to_precision(array, type_.precision) if isinstance(type_, PrecisionTimeType) else array


def _reason(error: Exception, type_: LogicalType) -> str:
    if isinstance(type_, DecimalType):
        return f"it needs more digits than {type_.precision - type_.scale} before and {type_.scale} after the point"
    return str(error)


def _plain(value: Any, classes: tuple[type[Any], ...], type_: LogicalType) -> Any:
    """Returns the value as one of the classes: numpy's scalars and subclasses are accepted, look-alikes are not."""
    if is_numpy(value) and hasattr(value, "item"):
        try:
            value = from_numpy(value, type_)
        except (OverflowError, ValueError) as error:
            raise _ValueMismatch(value, type_, str(error)) from error
    accepted = isinstance(value, classes)
    if isinstance(value, bool) and bool not in classes:
        accepted = False
    if isinstance(value, datetime) and datetime not in classes:
        accepted = False
    if not accepted:
        names = " or ".join(class_.__name__ for class_ in classes)
        raise _ValueMismatch(value, type_, f"it takes {names}" if names else "only NULL is one")
    return value


# Values that pyarrow would interpret differently.


def _prepare_floats(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> Sequence[Any]:
    try:
        return [None if value is None else float(value) for value in values]
    except OverflowError:
        value = next(v for v in values if isinstance(v, int) and abs(v) > 2**1000)
        raise _ValueMismatch(value, type_, "it is too large") from None


def _prepare_bytes(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> Sequence[Any]:
    return [value if value is None or type(value) is bytes else bytes(value) for value in values]


def _prepare_months(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> Sequence[Any]:
    return [value.months_total if isinstance(value, Period) else value for value in values]


def _prepare_local(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> Sequence[Any]:
    for value in values:
        if value is not None and value.tzinfo is not None:
            raise _ValueMismatch(value, type_, "it has a time zone; TIMESTAMP_LTZ takes such values")
    return values


def _prepare_instants(values: Sequence[Any], type_: LogicalType, zone: tzinfo) -> Sequence[Any]:
    return [value if value is None or value.tzinfo is not None else value.replace(tzinfo=zone) for value in values]


_PREPARE: dict[type[LogicalType], Callable[[Sequence[Any], LogicalType, tzinfo], Sequence[Any]]] = {
    FloatType: _prepare_floats,
    DoubleType: _prepare_floats,
    BinaryType: _prepare_bytes,
    VarBinaryType: _prepare_bytes,
    RawType: _prepare_bytes,
    BitmapType: _prepare_bytes,
    YearMonthIntervalType: _prepare_months,
    TimeType: _prepare_local,
    TimestampType: _prepare_local,
    LocalZonedTimestampType: _prepare_instants,
}


def _refuse_overflow(values: Sequence[Any], array: pa.Array, type_: LogicalType) -> None:
    if pc.any(pc.is_inf(array)).as_py():
        for value in values:
            if value is not None and math.isfinite(value) and math.isinf(pa.scalar(value, pa.float32()).as_py()):
                raise _ValueMismatch(value, type_, "it is too large")


def _build_lists(values: Sequence[Any], type_: ArrayType, zone: tzinfo) -> pa.Array:
    lists = [None if value is None else _as_list(value, type_) for value in values]
    try:
        elements = _build(list(chain.from_iterable(item for item in lists if item is not None)), type_.element_type, zone)
    except _ValueMismatch as mismatch:
        mismatch.path = ", an element" + mismatch.path
        raise
    return pa.ListArray.from_arrays(_offsets(lists), elements, type=to_arrow_type(type_), mask=_mask(values))


def _as_list(value: Any, type_: LogicalType) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if hasattr(value, "tolist"):  # numpy and the array module
        result: list[Any] = value.tolist()
        return result
    raise _ValueMismatch(value, type_, "it takes list or tuple")


def _build_maps(values: Sequence[Any], type_: LogicalType, key: LogicalType, value: LogicalType, zone: tzinfo) -> pa.Array:
    for item in values:
        if item is not None and not isinstance(item, Mapping):
            raise _ValueMismatch(item, type_, "it takes dict")
    pairs = [None if item is None else list(item.items()) for item in values]
    flat = [pair for item in pairs if item is not None for pair in item]
    try:
        keys = _build([pair[0] for pair in flat], key.not_null(), zone)
        items = _build([pair[1] for pair in flat], value, zone)
    except _ValueMismatch as mismatch:
        mismatch.path = ", a key or value" + mismatch.path
        raise
    return pa.MapArray.from_arrays(_offsets(pairs), keys, items, type=to_arrow_type(type_), mask=_mask(values))


def _build_structs(values: Sequence[Any], type_: RowType | StructuredType, zone: tzinfo) -> pa.Array:
    target = to_arrow_type(type_)
    names = type_.field_names
    if not names:
        return pa.array([None if value is None else {} for value in values], target)
    present = [None if value is None else _field_values(value, type_) for value in values]
    children = []
    for index, field in enumerate(type_.fields):
        column = [None if item is None else item[index] for item in present]
        never_null = not field.type.nullable and not isinstance(field.type, NullType)
        if never_null and any(item is not None and item[index] is None for item in present):
            mismatch = _ValueMismatch(None, field.type, "it is NULL")
            mismatch.path = f", field '{field.name}'"
            raise mismatch
        try:
            children.append(_build(column, field.type.with_nullability(True), zone))
        except _ValueMismatch as mismatch:
            mismatch.path = f", field '{field.name}'" + mismatch.path
            raise
    return pa.StructArray.from_arrays(children, fields=list(target), mask=_mask(values))


def _field_values(value: Any, type_: RowType | StructuredType) -> Sequence[Any]:
    names = type_.field_names
    if isinstance(value, Row) and value.get_field_names() is not None:
        value = value.as_dict()
    if isinstance(value, Mapping):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise _ValueMismatch(value, type_, f"it has no field '{unknown[0]}'")
        return [value.get(name) for name in names]
    if isinstance(value, (tuple, list, Row)):
        if len(value) != len(names):
            raise _ValueMismatch(value, type_, f"it takes {len(names)} values")
        return value if isinstance(value, (tuple, list)) else list(value)
    if all(hasattr(value, name) for name in names):
        return [getattr(value, name) for name in names]
    raise _ValueMismatch(value, type_, "it takes Row, tuple, dict or an object with the fields as attributes")


def _mask(values: Sequence[Any]) -> pa.Array | None:
    nulls = [value is None for value in values]
    return pa.array(nulls, pa.bool_()) if any(nulls) else None


def _offsets(items: Sequence[Sequence[Any] | None]) -> pa.Array:
    offsets = [0]
    for item in items:
        offsets.append(offsets[-1] + (0 if item is None else len(item)))
    return pa.array(offsets, pa.int32())
