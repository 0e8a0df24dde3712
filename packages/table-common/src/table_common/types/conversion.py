"""The table of conversion classes: the Python classes of values of each type, for input and output.

Classes are identified by name: numpy and pyarrow are never imported, and this file, which is below the data structures, can name
them. An ``int`` for TIME, TIMESTAMP, TIMESTAMP_LTZ and day–time intervals counts milliseconds up to a precision of 3 and nanoseconds above.

Differs from Flink: an integer for TIMESTAMP_LTZ is milliseconds up to precision 3, and nanoseconds above. In Flink it is always milliseconds.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from enum import Enum
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BinaryType,
    BitmapType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DescriptorType,
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
    SymbolType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    ZonedTimestampType,
)

ROW = "table_common.data.row.Row"
ROW_DATA = "table_common.data.row_data.RowData"
ARRAY_DATA = "table_common.data.row_data.ArrayData"
MAP_DATA = "table_common.data.row_data.MapData"
STRING_DATA = "table_common.data.string.StringData"
DECIMAL_DATA = "table_common.data.decimal.DecimalData"
TIMESTAMP_DATA = "table_common.data.timestamp.TimestampData"
TIME_DATA = "table_common.data.time_interval.TimeData"
INTERVAL_DATA = "table_common.data.time_interval.IntervalData"
RAW_DATA = "table_common.data.raw.RawValueData"
PERIOD = "table_common.types.period.Period"
ARROW_ARRAY = "pyarrow.lib.Array"


@dataclass(frozen=True, slots=True)
class Conversions:
    """The full names of the conversion classes of a type.

    Example:
        >>> from table_common.types import IntType
        >>> conversions_of(IntType()).default
        'builtins.int'
    """

    default: str
    """The default class, for input and output."""
    both: tuple[str, ...] = ()
    """Classes for input and output."""
    input_only: tuple[str, ...] = ()
    """Classes for input only."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """All input classes; subclasses are accepted unless they have another meaning (``bool`` is not an ``int``, ``datetime`` not a ``date``)."""
        return (self.default, *self.both, *self.input_only)

    @property
    def outputs(self) -> tuple[str, ...]:
        """All output classes; subclasses are not included."""
        return (self.default, *self.both)


def _numpy(*names: str) -> tuple[str, ...]:
    return tuple(f"numpy.{name}" for name in names)


_WHOLE = _numpy("int8", "int16", "int32", "int64")
_UNSIGNED = _numpy("uint8", "uint16", "uint32", "uint64")
_BYTES = Conversions("builtins.bytes", ("builtins.bytearray", "builtins.memoryview"))
_TEXT = Conversions("builtins.str", ("builtins.bytes", STRING_DATA))
_MAPPING = Conversions("builtins.dict", (MAP_DATA,))
_FIELDS = Conversions(ROW, ("builtins.tuple", "builtins.dict", ROW_DATA), ("builtins.list",))
_MOMENT = Conversions("datetime.datetime", ("numpy.datetime64", "builtins.int", TIMESTAMP_DATA))


def _whole(index: int) -> Conversions:
    """Given as numpy's integers that hold every value; taken from all, where the value fits."""
    return Conversions("builtins.int", _WHOLE[index:], (*_WHOLE[:index], *_UNSIGNED))


CONVERSIONS: dict[type[LogicalType], Conversions] = {
    BooleanType: Conversions("builtins.bool", _numpy("bool", "bool_")),
    TinyIntType: _whole(0),
    SmallIntType: _whole(1),
    IntType: _whole(2),
    BigIntType: _whole(3),
    FloatType: Conversions("builtins.float", _numpy("float32", "float64"), ("builtins.int", "numpy.float16")),
    DoubleType: Conversions("builtins.float", _numpy("float64"), ("builtins.int", *_numpy("float16", "float32"))),
    DecimalType: Conversions("decimal.Decimal", (DECIMAL_DATA,), ("builtins.int",)),
    CharType: _TEXT,
    VarCharType: _TEXT,
    VariantType: Conversions("builtins.str", (STRING_DATA,)),
    BinaryType: _BYTES,
    VarBinaryType: _BYTES,
    BitmapType: _BYTES,
    RawType: Conversions("builtins.bytes", (RAW_DATA,)),
    DateType: Conversions("datetime.date", ("numpy.datetime64", "builtins.int")),
    TimeType: Conversions("datetime.time", ("builtins.int", TIME_DATA)),
    TimestampType: _MOMENT,
    LocalZonedTimestampType: _MOMENT,
    ZonedTimestampType: Conversions("datetime.datetime"),
    DayTimeIntervalType: Conversions("datetime.timedelta", ("numpy.timedelta64", "builtins.int", INTERVAL_DATA)),
    YearMonthIntervalType: Conversions(PERIOD, ("builtins.int",)),
    ArrayType: Conversions("builtins.list", ("builtins.tuple", "numpy.ndarray", ARROW_ARRAY, ARRAY_DATA), ("array.array",)),
    MapType: _MAPPING,
    MultisetType: _MAPPING,
    RowType: _FIELDS,
    StructuredType: _FIELDS,
    NullType: Conversions("builtins.object"),
    SymbolType: Conversions("enum.Enum"),
    DescriptorType: Conversions("builtins.list", ("builtins.tuple",)),
}
"""Besides these, rows and structured types take any class with the fields as attributes and are given as any class that can be called with
them by name (a dataclass, a NamedTuple); maps take any ``Mapping``; a RAW takes and is given as the class that it names. Days of a DATE and
months of an INTERVAL are plain integers."""

_KNOWN = frozenset(name for conversions in CONVERSIONS.values() for name in conversions.inputs)


def class_name_of(class_: type[Any]) -> str:
    """Returns the full name of a class, as in this table and in RAW and structured types."""
    return f"{class_.__module__}.{class_.__qualname__}"


def conversions_of(type_: LogicalType) -> Conversions:
    """Returns the conversion classes of the type.

    Example:
        >>> from table_common.types import DateType
        >>> conversions_of(DateType()).default
        'datetime.date'
    """
    return conversions_of(type_.source_type) if isinstance(type_, DistinctType) else CONVERSIONS[type(type_)]


def default_conversion(type_: LogicalType) -> type[Any]:
    """Returns the default conversion class of the type.

    Example:
        >>> from table_common.types import DateType
        >>> default_conversion(DateType())
        <class 'datetime.date'>
    """
    module, _, name = conversions_of(type_).default.rpartition(".")
    # Row is above the types, so it cannot be imported here before it is asked for.
    result: type[Any] = getattr(importlib.import_module(module), name)
    return result


def supports_input_conversion(type_: LogicalType, class_: type[Any]) -> bool:
    """Returns whether objects of the class can be converted to values of the type.

    Example:
        >>> from table_common.types import IntType
        >>> supports_input_conversion(IntType(), int), supports_input_conversion(IntType(), str)
        (True, False)
    """
    if isinstance(type_, DistinctType):
        return supports_input_conversion(type_.source_type, class_)
    names = [class_name_of(base) for base in class_.__mro__[:-1]]
    # The nearest class that means something to us decides: bool is a subclass of int, datetime of date.
    nearest = next((name for name in names if name in _KNOWN), None)
    if nearest in conversions_of(type_).inputs:
        return True
    match type_:
        case NullType():
            return True
        case SymbolType():
            return issubclass(class_, Enum)
        case MapType() | MultisetType():
            return issubclass(class_, Mapping)
        case RawType(class_name=class_name):
            return class_name in names
        case StructuredType(class_name=class_name) if class_name in names:
            return True
        case RowType(field_names=fields) | StructuredType(field_names=fields):
            return nearest is None and (issubclass(class_, Mapping) or _declares(class_, fields))
        case _:
            return False


def supports_output_conversion(type_: LogicalType, class_: type[Any]) -> bool:
    """Returns whether values of the type can be converted to objects of the class.

    Example:
        >>> from table_common.types import IntType
        >>> supports_output_conversion(IntType(), int), supports_output_conversion(IntType(), str)
        (True, False)
    """
    if isinstance(type_, DistinctType):
        return supports_output_conversion(type_.source_type, class_)
    name = class_name_of(class_)
    if name in conversions_of(type_).outputs:
        return True
    match type_:
        case NullType():
            return True
        case SymbolType():
            return issubclass(class_, Enum)
        case RawType(class_name=class_name):
            return class_name == name
        case RowType(field_names=fields) | StructuredType(field_names=fields):
            return name not in _KNOWN and _can_be_called_with(class_, fields)
        case _:
            return False


# ``inspect`` is loaded only where a class of rows is asked about: it costs more than all of the types.


def _declares(class_: type[Any], fields: tuple[str, ...]) -> bool:
    import inspect

    declared = {name for base in class_.__mro__ for name in inspect.get_annotations(base)}
    return bool(fields) and all(name in declared or hasattr(class_, name) for name in fields)


def _can_be_called_with(class_: type[Any], fields: tuple[str, ...]) -> bool:
    import inspect

    if not fields or inspect.isabstract(class_):
        return False
    try:
        parameters = inspect.signature(class_)
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.parameters.values()):
            # It would take any names, also those that it knows nothing of.
            return _declares(class_, fields)
        parameters.bind(**dict.fromkeys(fields))
    except (TypeError, ValueError):
        return False
    return True
