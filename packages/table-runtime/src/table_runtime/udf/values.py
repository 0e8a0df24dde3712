"""Converts columns to lists of Python objects and back, according to a function's annotations, once per batch."""

from __future__ import annotations

import pickle
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import pyarrow as pa

from table_common.arrow import build_column, column_values
from table_common.arrow import compute as pc
from table_common.data import ArgumentRow
from table_common.exact_decimals import ROUND_HALF_EVEN, rounded
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.functions import ExtractedType, ListView, MapView
from table_common.types import (
    ArrayType,
    BigIntType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RawType,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TinyIntType,
)

Convert = Callable[[Any], Any]
_TYPE_CODES: dict[type[LogicalType], str] = {TinyIntType: "b", SmallIntType: "h", IntType: "i", BigIntType: "q", DoubleType: "d"}
"""Types whose values Python's ``array`` checks and packs in one pass."""
_ARROW_TYPES = {"b": pa.int8(), "h": pa.int16(), "i": pa.int32(), "q": pa.int64(), "d": pa.float64()}

_VIEWS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    f"{view.__module__}.{view.__qualname__}": lambda values, view=view: view(values[0] or ())  # type: ignore[misc]
    for view in (ListView, MapView)
}
"""The views in accumulators, which are made from their collections."""


_dumps_by_value: Callable[[Any], bytes] | None = None


def pickle_unknown_classes_with(dumps: Callable[[Any], bytes]) -> None:
    """Sets the pickler for objects whose classes cannot be imported in this process, such as classes sent to a worker with a function."""
    global _dumps_by_value
    _dumps_by_value = dumps


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError):
        if _dumps_by_value is None:
            raise
        return _dumps_by_value(value)


def read_values(column: pa.Array, type_: LogicalType, convert: Convert | None, where: str) -> list[Any]:
    """Returns the column as Python objects for a function; NULL is None."""
    values = column_values(column, type_, where, UTC, ArgumentRow)
    if convert is None:
        return values
    return [None if value is None else convert(value) for value in values]


def reader_for(type_: LogicalType, extracted: ExtractedType | None) -> Convert | None:
    """Returns the conversion from default objects to the annotated classes; None if no conversion is needed."""
    classes = {
        f"{described.class_.__module__}.{described.class_.__qualname__}": described
        for described in (extracted.classes if extracted is not None else ())
    }
    inner = _converter(type_, {**_VIEWS, **{name: described.factory() for name, described in classes.items()}})
    conversion = extracted.conversion if extracted is not None else None
    outer = None if conversion is None else _to_class(type_, conversion, known={*classes, *_VIEWS})
    if inner is None or outer is None:
        return inner or outer
    return _chained(inner, outer)


def _chained(first: Convert, second: Convert) -> Convert:
    return lambda value: second(first(value))


def _converter(type_: LogicalType, factories: Mapping[str, Callable[[Sequence[Any]], Any]]) -> Convert | None:
    """Returns the conversion of nested values: rows to objects of known classes, bytes of RAW to objects; None if none is needed."""
    match type_:
        case RawType():
            return pickle.loads
        case ArrayType(element_type=element):
            return _of_elements(_converter(element, factories))
        case MapType() | MultisetType():
            key_type, value_type = _entry_types(type_)
            return _of_entries(_converter(key_type, factories), _converter(value_type, factories))
        case StructuredType() | RowType():
            fields = [_converter(field.type, factories) for field in type_.fields]
            make = factories.get(type_.class_name) if isinstance(type_, StructuredType) else None
            if make is None and not any(fields):
                return None
            return _row_converter(type_.field_names, fields, make)
        case _:
            return None


def _of_elements(convert: Convert | None) -> Convert | None:
    if convert is None:
        return None
    return lambda values: [None if value is None else convert(value) for value in values]


def _entry_types(type_: MapType | MultisetType) -> tuple[LogicalType, LogicalType]:
    """Returns the types of keys and values: elements and their counts, of a multiset."""
    return (type_.key_type, type_.value_type) if isinstance(type_, MapType) else (type_.element_type, IntType())


def _of_entries(convert_key: Convert | None, convert: Convert | None) -> Convert | None:
    if convert_key is None and convert is None:
        return None
    of_key, of_value = convert_key or _same, convert or _same
    return lambda pairs: {of_key(key): None if value is None else of_value(value) for key, value in pairs.items()}


def _same(value: Any) -> Any:
    return value


def _row_converter(names: Sequence[str], fields: Sequence[Convert | None], make: Callable[[Sequence[Any]], Any] | None) -> Convert:
    from table_common.data import Row

    def convert(row: Any) -> Any:
        values = [value if value is None or field is None else field(value) for value, field in zip(row, fields, strict=True)]
        return Row.of_names(names, values) if make is None else make(values)

    return convert


def _to_class(type_: LogicalType, class_: type[Any], known: set[str]) -> Convert | None:
    name = f"{class_.__module__}.{class_.__qualname__}"
    if name in known or isinstance(type_, (RawType, StructuredType)):
        return None
    if isinstance(type_, RowType):
        if class_ is tuple:
            return tuple
        if class_ is dict:
            return lambda row: row.as_dict()
        return lambda row: class_(**row.as_dict())
    if class_ is tuple:
        return tuple
    if class_.__module__ == "numpy":
        if class_.__name__ == "ndarray":
            numpy = sys.modules["numpy"]
            return lambda values: numpy.array(values)
        return _nanoseconds_of_numpy(class_) if _counts_nanoseconds(type_) else class_
    if class_ in (bytearray, memoryview):
        return class_
    if class_ is bytes:
        return lambda value: value.encode() if isinstance(value, str) else value
    return None


def _counts_nanoseconds(type_: LogicalType) -> bool:
    if isinstance(type_, DayTimeIntervalType):
        return type_.fractional_precision > 6
    return isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.precision > 6


def _nanoseconds_of_numpy(class_: type[Any]) -> Convert:
    """Returns the conversion to ``datetime64`` or ``timedelta64``, whose constructors take no digits below microseconds."""
    from table_common.data import nanos_of_duration, nanos_since_epoch

    return lambda value: class_(nanos_of_duration(value) if isinstance(value, timedelta) else nanos_since_epoch(value), "ns")


def write_values(values: Sequence[Any], type_: LogicalType, where: str, *, truncates_fractions: bool = False) -> pa.Array:
    """Returns the results as a column of the type.

    Args:
        values: The results, None for NULL.
        type_: Their declared type.
        where: What they are, for messages.
        truncates_fractions: Whether a number with a fraction is cut to an integer of its type, as in PyFlink; otherwise it is an error.

    Raises:
        ValidationException: a value is not of the type; the message has the row, the type and the value.
    """
    code = _TYPE_CODES.get(type(type_))
    if code is not None:
        packed = _packed(values, code, type_)
        if packed is not None:
            return packed
    if holds(type_, RawType):
        values = [_with_leaves(value, type_, RawType, _raw_bytes) for value in values]
    if holds(type_, LocalZonedTimestampType):
        for row, value in enumerate(values, 1):
            try:
                _with_leaves(value, type_, LocalZonedTimestampType, _require_zone)
            except _NoZoneError as error:
                raise ValidationException(
                    f"In {where}, row {row}: {error.value!r} is not a value of {error.type_}: it has no time zone."
                ) from None
    fits = _TO_FIT | dict.fromkeys(_INTEGERS, _truncated) if truncates_fractions else _TO_FIT
    to_fit = [(class_, convert) for class_, convert in fits.items() if holds(type_, class_)]
    if to_fit:
        try:
            return build_column(values, type_, where)
        except ValidationException:  # few results are rounded, so that only these columns are looked at value by value
            for class_, convert in to_fit:
                values = [_with_leaves(value, type_, class_, convert) for value in values]
    return build_column(values, type_, where)


def _packed(values: Sequence[Any], code: str, type_: LogicalType) -> pa.Array | None:
    """Returns numbers as a column, or None if a value is not a number or does not fit."""
    valid = None
    try:
        try:
            packed = array(code, values)
        except TypeError:
            if not type_.nullable:
                return None
            # A NULL in one row must not change which values of other rows are accepted as numbers.
            valid = [value is not None for value in values]
            packed = array(code, [0 if value is None else value for value in values])
    except (TypeError, OverflowError):
        return None
    column = pa.Array.from_buffers(_ARROW_TYPES[code], len(packed), [None, pa.py_buffer(packed)])
    return column if valid is None else pc.if_else(pa.array(valid, pa.bool_()), column, pa.scalar(None, column.type))


def holds(type_: LogicalType, class_: type[LogicalType]) -> bool:
    """Returns whether a type, or one inside it, is of a class."""
    match type_:
        case ArrayType():
            return holds(type_.element_type, class_)
        case MapType() | MultisetType():
            return any(holds(part, class_) for part in _entry_types(type_))
        case RowType() | StructuredType():
            return isinstance(type_, class_) or any(holds(field.type, class_) for field in type_.fields)
        case _:
            return isinstance(type_, class_)


def _with_leaves(value: Any, type_: LogicalType, class_: type[LogicalType], convert: Callable[[Any, LogicalType], Any]) -> Any:
    """Returns the value with its parts of a type class converted. Parts that do not have the shape of their type stay, for ``build_column`` to report."""
    if value is None or not holds(type_, class_):
        return value
    match type_:
        case ArrayType(element_type=element):
            items = value.tolist() if hasattr(value, "tolist") else value
            return [_with_leaves(item, element, class_, convert) for item in items] if isinstance(items, (list, tuple)) else value
        case MapType() | MultisetType():
            if not isinstance(value, Mapping):
                return value
            of_key, of_value = _entry_types(type_)
            return {
                _with_leaves(key, of_key, class_, convert): _with_leaves(item, of_value, class_, convert) for key, item in value.items()
            }
        case RowType() | StructuredType():
            return _row_with_leaves(value, type_, class_, convert)
        case _:
            return convert(value, type_)


def _row_with_leaves(
    value: Any, type_: RowType | StructuredType, class_: type[LogicalType], convert: Callable[[Any, LogicalType], Any]
) -> Any:
    from table_common.data import Row

    if isinstance(value, Row):
        value = value.as_dict() if value.get_field_names() is not None else list(value)
    if isinstance(value, (list, tuple)):
        if len(value) != len(type_.fields):
            return value
        return [_with_leaves(item, field.type, class_, convert) for item, field in zip(value, type_.fields, strict=True)]
    types = {field.name: field.type for field in type_.fields}
    if not isinstance(value, Mapping):
        if not all(hasattr(value, name) for name in types):
            return value
        value = {name: getattr(value, name) for name in types}
    return {name: _with_leaves(item, types[name], class_, convert) if name in types else item for name, item in value.items()}


def _raw_bytes(value: Any, type_: LogicalType) -> bytes:
    try:
        return _pickled(value)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TableRuntimeException(f"An object of the class {type(value).__qualname__} cannot be pickled: {error}") from error


def _at_scale(value: Any, type_: LogicalType) -> Any:
    """Returns a decimal rounded to the scale of its type, half to even, as PyFlink does; what is no such number stays."""
    assert isinstance(type_, DecimalType)
    if not isinstance(value, Decimal):
        return value
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= -type_.scale or value.adjusted() > type_.precision:
        return value
    return rounded(value, type_.scale, ROUND_HALF_EVEN)


def _day(value: Any, type_: LogicalType) -> Any:
    """Returns the day of a point in time, as PyFlink does; NaT stays."""
    return value.date() if isinstance(value, datetime) and value == value else value


def _truncated(value: Any, type_: LogicalType) -> Any:
    """Returns a number without its fraction; what is no finite number stays."""
    is_fraction = isinstance(value, (Real, Decimal)) and not isinstance(value, Integral)
    return int(value) if is_fraction and value - value == 0 else value


def _whole(value: Any, type_: LogicalType) -> Any:
    """Returns a whole number of another class, such as 2.0, as an integer; a number with a fraction stays."""
    integer = _truncated(value, type_)
    return integer if integer == value else value


_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_TO_FIT: dict[type[LogicalType], Callable[[Any, LogicalType], Any]] = {
    DecimalType: _at_scale,
    DateType: _day,
    **dict.fromkeys(_INTEGERS, _whole),
}
"""What makes a value of another precision or class one of the type."""


class _NoZoneError(Exception):
    """A value of TIMESTAMP_LTZ has no time zone."""

    def __init__(self, value: Any, type_: LogicalType) -> None:
        super().__init__(value)
        self.value = value
        self.type_ = type_


def _require_zone(value: Any, type_: LogicalType) -> Any:
    if getattr(value, "tzinfo", None) is None:
        raise _NoZoneError(value, type_)
    return value
