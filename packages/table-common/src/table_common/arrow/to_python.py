"""Converts Arrow arrays to lists of Python values, column by column."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.data.result_row import ResultRow
from table_common.exact_decimals import all_from_unscaled
from table_common.exceptions import TableRuntimeException
from table_common.types import (
    ArrayType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    Period,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST, _GREATEST = ((limit - _EPOCH) // timedelta(microseconds=1) for limit in (datetime.min, datetime.max))
_DAY = 86_400_000_000
_WORTH_NUMPY = 10_000
"""The number of rows that are worth the import of NumPy."""
_WORTH_CALLS = 200
"""The number of rows that are worth its calls when it is imported."""
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LONGEST_WORD = 18
"""The precision of decimals whose digits fit 64 bits."""
_EXACT_FLOAT = 1 << 24
"""A whole FLOAT below it has its own digits; a greater one may have more digits than identify it."""


def column_values(
    array: pa.Array, type_: LogicalType, where: str, time_zone: tzinfo | None = None, rows: type[ResultRow] = ResultRow
) -> list[Any]:
    """Returns the Python values of an array in the canonical Arrow type of ``type_``; ``where`` names it in messages.

    With ``rows=ArgumentRow`` the values are arguments of a function: a FLOAT is the nearest number, not the one with the shortest text.

    Raises:
        TableRuntimeException: A value has no Python object.
    """
    return _values(array, type_, where, time_zone, rows)


def _values(array: pa.Array, type_: LogicalType, where: str, zone: tzinfo | None, rows: type[ResultRow]) -> list[Any]:
    from table_common.arrow.list_layout import element_spans, referenced_elements  # few columns are nested

    match type_:
        case DateType() | TimeType() | TimestampType() | LocalZonedTimestampType() | DayTimeIntervalType():
            return _temporals(array, type_, where, zone)
        case FloatType() if rows is ResultRow:  # a function takes the number itself, which CAST AS DOUBLE returns, as in PyFlink
            return _floats(array)
        case YearMonthIntervalType():
            return _map(array, Period)
        case ArrayType(element_type=element):
            values = _values(referenced_elements(array, array.values), element, f"An element of {where}", zone, rows)
            return [None if span is None else values[span[0] : span[1]] for span in element_spans(array)]
        case MapType(key_type=key, value_type=value):
            return _dicts(array, key, value, where, zone, rows)
        case MultisetType(element_type=element):
            return _dicts(array, element, None, where, zone, rows)
        case RowType() | StructuredType():
            return _rows(array, type_, where, zone, rows)
        case DecimalType():
            return _decimals(array)
        case DistinctType(source_type=source):
            return _values(array, source, where, zone, rows)
        case _:
            result: list[Any] = array.to_pylist()
            return result


def _map(array: pa.Array, convert: Callable[[Any], Any]) -> list[Any]:
    if array.null_count:
        return [None if value is None else convert(value) for value in array.to_pylist()]
    return list(map(convert, array.to_pylist()))


def _decimals(array: pa.Array) -> list[Any]:
    """Returns the decimals; those of 64 bits are made of their digits, in two thirds of the time that their text takes."""
    type_ = array.type
    if type_.precision > _LONGEST_WORD or type_.bit_width != 128 or sys.byteorder != "little":
        return _map(pc.cast(array, pa.string()), Decimal)
    words = memoryview(array.buffers()[1] or b"")[16 * array.offset : 16 * (array.offset + len(array))].cast("q")
    values: list[Any] = all_from_unscaled(words[::2].tolist(), type_.scale)
    if array.null_count:
        for position in pc.indices_nonzero(pc.is_null(array)).to_pylist():
            values[position] = None
    return values


def _floats(array: pa.Array) -> list[Any]:
    """Returns each number of 32 bits as the one of 64 bits with the fewest digits that is rounded to it: 1.23, not 1.2300000190734863."""
    values: list[Any] = array.to_pylist()
    if pc.all(pc.and_(pc.equal(array, pc.floor(array)), pc.less(pc.abs(array), _EXACT_FLOAT))).as_py():
        return values
    shortest: list[Any] = pc.cast(pc.cast(array, pa.string()), pa.float64()).to_pylist()
    return shortest


def _temporals(array: pa.Array, type_: LogicalType, where: str, zone: tzinfo | None) -> list[Any]:
    try:
        if isinstance(type_, DateType):
            days = pc.cast(array, pa.int32())
            quick = _by_numpy(days, pa.date32(), _LEAST // _DAY, _GREATEST // _DAY)
            return _map(days, lambda day: date.fromordinal(day + _EPOCH_ORDINAL)) if quick is None else quick
        make = _maker(type_, zone)
        micros = _whole_micros(array)
        if micros is not None:
            quick = _many(micros, type_, zone)
            return _map(micros, make) if quick is None else quick
        # Loaded only here: few results have such digits.
        from table_common.data.nanoseconds import datetime_of, time_of, timedelta_of

        if isinstance(type_, DayTimeIntervalType):
            return _map(pc.cast(array, pa.int64()), timedelta_of)
        attach = time_of if isinstance(type_, TimeType) else datetime_of
        return _map(pc.cast(array, pa.int64()), lambda nanos: attach(make(nanos // 1000), nanos % 1000))
    except (OverflowError, ValueError) as error:
        is_interval = isinstance(type_, DayTimeIntervalType)
        held = "timedelta (999,999,999 days)" if is_interval else "datetime (the years 1 to 9999)"
        raise TableRuntimeException(
            f"{where}: a value of {type_} is outside the range of Python's {held}.",
            hint="Read the result with to_arrow(), which supports it.",
        ) from error


def _many(micros: pa.Array, type_: LogicalType, zone: tzinfo | None) -> list[Any] | None:
    """Returns the values of microseconds as ``_by_numpy`` does; None also for a zone that is not UTC."""
    convert: Callable[[Any], Any] | None = None
    if isinstance(type_, DayTimeIntervalType):
        values = _by_numpy(micros, pa.duration("us"), 1 - 2**63, 2**63)  # the least number is NaT
    elif isinstance(type_, LocalZonedTimestampType):
        if zone is not None and zone is not UTC:
            return None
        values, convert = _by_numpy(micros, pa.duration("us"), _LEAST, _GREATEST), _EPOCH_UTC.__add__
    else:
        values = _by_numpy(micros, pa.timestamp("us"), _LEAST, _GREATEST)
        convert = datetime.time if isinstance(type_, TimeType) else None
    if values is None or convert is None:
        return values
    if micros.null_count:
        return [None if value is None else convert(value) for value in values]
    return list(map(convert, values))


def _by_numpy(numbers: pa.Array, type_: pa.DataType, least: int, greatest: int) -> list[Any] | None:
    """Returns the objects that NumPy makes, in a tenth of the time; None without NumPy, for few rows, or if a number is outside the bounds."""
    if len(numbers) < (_WORTH_CALLS if "numpy" in sys.modules else _WORTH_NUMPY):
        return None
    bounds = pc.min_max(numbers).as_py()
    if bounds["min"] is None or bounds["min"] < least or bounds["max"] > greatest:
        return None
    try:
        values: list[Any] = pc.cast(numbers, type_).to_numpy(zero_copy_only=False).tolist()
    except ImportError:  # pyarrow works without NumPy
        return None
    return values


def _maker(type_: LogicalType, zone: tzinfo | None) -> Callable[[int], Any]:
    """Returns the function from microseconds to values of the type."""
    if isinstance(type_, TimeType):
        return lambda m: (_EPOCH + timedelta(0, 0, m)).time()
    if isinstance(type_, TimestampType):
        return lambda m: _EPOCH + timedelta(0, 0, m)
    if isinstance(type_, DayTimeIntervalType):
        return lambda m: timedelta(0, 0, m)
    if zone is None or zone is UTC:
        return lambda m: _EPOCH_UTC + timedelta(0, 0, m)
    return lambda m: (_EPOCH_UTC + timedelta(0, 0, m)).astimezone(zone)


def _whole_micros(array: pa.Array) -> pa.Array | None:
    """Returns the microseconds as int64, or None if there are values with digits below them."""
    numbers = pc.cast(array, pa.int64())
    unit = array.type.unit
    if unit == "us":
        return numbers
    if unit == "ms":
        return pc.multiply_checked(numbers, 1000)
    micros = pc.divide(numbers, 1000)
    return None if pc.any(pc.not_equal(pc.multiply(micros, 1000), numbers)).as_py() else micros


def _dicts(
    array: pa.Array, key: LogicalType, value: LogicalType | None, where: str, zone: tzinfo | None, rows: type[ResultRow]
) -> list[Any]:
    from table_common.arrow.list_layout import element_spans, referenced_elements  # few columns are nested
    from table_common.data.dict_keys import hashable  # few columns are nested

    keys = [hashable(k) for k in _values(referenced_elements(array, array.keys), key, f"A key of {where}", zone, rows)]
    items = referenced_elements(array, array.items)
    values = items.to_pylist() if value is None else _values(items, value, f"A value of {where}", zone, rows)
    return [None if span is None else dict(zip(keys[slice(*span)], values[slice(*span)], strict=True)) for span in element_spans(array)]


def _rows(array: pa.Array, type_: RowType | StructuredType, where: str, zone: tzinfo | None, rows: type[ResultRow]) -> list[Any]:
    names = type_.field_names
    if not names:
        return [rows.of_names((), ()) if valid else None for valid in pc.is_valid(array).to_pylist()]
    columns = [
        _values(array.field(i), field.type, f"The field '{field.name}' of {where}", zone, rows) for i, field in enumerate(type_.fields)
    ]
    made: list[Any] = rows.of_columns(names, columns)
    if array.null_count:
        return [row if valid else None for row, valid in zip(made, pc.is_valid(array).to_pylist(), strict=True)]
    return made
