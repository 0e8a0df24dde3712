"""Converts Arrow arrays to lists of internal structures, column by column: kernels compute, Python only creates the objects."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow.list_layout import element_spans, referenced_elements
from table_common.connector import RowKind
from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    RawValueData,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.data.time_interval import interval_precision
from table_common.types import (
    ArrayType,
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
    RawType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VariantType,
)

_NANOS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def internal_values(array: pa.Array, type_: LogicalType) -> list[Any]:
    """Returns the internal structures of an array in the canonical Arrow type of ``type_``, None for NULL."""
    match type_:
        case CharacterType() | VariantType():
            make_string = StringData._of
            return [None if v is None else make_string(v) for v in pc.cast(array, pa.binary()).to_pylist()]
        case DecimalType(precision=precision, scale=scale):
            make_decimal = DecimalData._of
            return [None if v is None else make_decimal(v, precision, scale) for v in unscaled_values(array)]
        case DateType():
            result: list[Any] = pc.cast(array, pa.int32()).to_pylist()
            return result
        case TimestampType() | LocalZonedTimestampType():
            return _timestamps(array)
        case TimeType(precision=precision):
            return _nanoseconds(array, TimeData, TimeData.is_compact(precision))
        case DayTimeIntervalType():
            return _nanoseconds(array, IntervalData, IntervalData.is_compact(interval_precision(type_)))
        case RawType():
            return [None if v is None else RawValueData.from_bytes(v) for v in array.to_pylist()]
        case DistinctType(source_type=source):
            return internal_values(array, source)
        case ArrayType(element_type=element):
            elements = internal_values(referenced_elements(array, array.values), element)
            make_array = GenericArrayData._of
            return [None if span is None else make_array(elements[span[0] : span[1]]) for span in element_spans(array)]
        case MapType(key_type=key, value_type=value):
            return _maps(array, key, value)
        case MultisetType(element_type=element):
            return _maps(array, element, IntType())
        case RowType() | StructuredType():
            return _rows(array, type_)
        case _:
            plain: list[Any] = array.to_pylist()
            return plain


def unscaled_values(array: pa.Array) -> list[int | None]:
    """Returns the unscaled integers of a decimal128 array."""
    # The same memory, read as whole numbers.
    whole = pa.Array.from_buffers(pa.decimal128(38, 0), len(array), array.buffers(), offset=array.offset)
    if array.type.precision <= 18:
        result: list[int | None] = pc.cast(whole, pa.int64()).to_pylist()
        return result
    return [None if v is None else int(v) for v in whole.to_pylist()]


def nanos_of_unit(unit: str) -> int:
    """Returns the nanoseconds of one of Arrow's units of time."""
    return _NANOS[unit]


def floor_divmod(numbers: pa.Array, divisor: int) -> tuple[pa.Array, pa.Array]:
    """Returns quotient, rounded down, and remainder, never negative, of int64 numbers; Arrow's own division rounds towards zero."""
    quotient = pc.divide(numbers, divisor)
    remainder = pc.subtract(numbers, pc.multiply(quotient, divisor))
    below = pc.cast(pc.less(remainder, 0), pa.int64())
    return pc.subtract(quotient, below), pc.add(remainder, pc.multiply(below, divisor))


def _timestamps(array: pa.Array) -> list[Any]:
    nanos = nanos_of_unit(array.type.unit)
    millis, rest = floor_divmod(pc.cast(array, pa.int64()), 1_000_000 // nanos)
    make = TimestampData._of
    pairs = zip(millis.to_pylist(), pc.multiply(rest, nanos).to_pylist(), strict=True)
    return [None if ms is None else make(ms, nano) for ms, nano in pairs]


def _nanoseconds(array: pa.Array, class_: type[TimeData | IntervalData], compact: bool) -> list[Any]:
    nanos = nanos_of_unit(array.type.unit)
    numbers = pc.cast(array, pa.int64())
    if compact:
        per_milli = 1_000_000 // nanos
        result: list[Any] = (floor_divmod(numbers, per_milli)[0] if per_milli > 1 else numbers).to_pylist()
        return result
    make = class_._of
    return [None if v is None else make(v * nanos) for v in numbers.to_pylist()]


def _maps(array: pa.Array, key: LogicalType, value: LogicalType) -> list[Any]:
    keys = internal_values(referenced_elements(array, array.keys), key)
    items = internal_values(referenced_elements(array, array.items), value)
    make = GenericMapData._of
    return [
        None if span is None else make(dict(zip(keys[slice(*span)], items[slice(*span)], strict=True))) for span in element_spans(array)
    ]


def _rows(array: pa.Array, type_: RowType | StructuredType) -> list[Any]:
    make, insert = GenericRowData._of, RowKind.INSERT
    if not type_.fields:
        return [make([], insert) if valid else None for valid in pc.is_valid(array).to_pylist()]
    columns = [internal_values(array.field(i), field.type) for i, field in enumerate(type_.fields)]
    rows = [make(list(values), insert) for values in zip(*columns, strict=True)]
    if array.null_count:
        return [row if valid else None for row, valid in zip(rows, pc.is_valid(array).to_pylist(), strict=True)]
    return list(rows)
