"""Functions from a program's lists, dicts, rows and objects to ``ArrayData``, ``MapData``, ``RowData`` and ``RawValueData``."""

from __future__ import annotations

import array as arrays
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.data.array import GenericArrayData
from table_common.data.arrow_elements import arrow_elements
from table_common.data.conversion_error import ValueMismatch
from table_common.data.field_getter import getter_of
from table_common.data.from_external import Convert, Surroundings, leaf_from_external
from table_common.data.generic_row import GenericRowData
from table_common.data.map import GenericMapData
from table_common.data.numpy_values import is_numpy
from table_common.data.raw import RawValueData
from table_common.data.row import Row
from table_common.data.row_data import ArrayData, MapData, RowData
from table_common.data.row_kind import RowKind
from table_common.exceptions import TableError
from table_common.types.conversion import ARROW_ARRAY, class_name_of
from table_common.types.logical import (
    ArrayType,
    BigIntType,
    BooleanType,
    DistinctType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowType,
    SmallIntType,
    StructuredType,
    TinyIntType,
)

_PRIMITIVE_FORMATS: dict[type[LogicalType], str] = {
    BooleanType: "?",
    TinyIntType: "b",
    SmallIntType: "h",
    IntType: "i",
    BigIntType: "q",
    FloatType: "f",
    DoubleType: "d",
}

_SIGNED_FORMATS = frozenset("?bhilqfd")


def from_external(type_: LogicalType, around: Surroundings) -> Convert:
    """Returns the function from a program's value, or None for NULL, to the internal structure of the type; it raises ``ValueMismatch``.

    Raises:
        ValidationException: Rows hold no values of the type.
    """
    convert = _not_null(type_, around)
    if type_.nullable or isinstance(type_, NullType):
        return lambda value: None if value is None else convert(value)

    def required(value: Any) -> Any:
        if value is None:
            raise ValueMismatch(None, type_, "it is NULL")
        return convert(value)

    return required


def _not_null(type_: LogicalType, around: Surroundings) -> Convert:
    leaf = leaf_from_external(type_, around)
    if leaf is not None:
        return leaf
    match type_:
        case ArrayType():
            return _array(type_, around)
        case MapType(key_type=key, value_type=value):
            return _map(type_, from_external(key.not_null(), around), from_external(value, around))
        case MultisetType(element_type=element):
            return _map(type_, from_external(element.not_null(), around), from_external(IntType(nullable=False), around))
        case RowType() | StructuredType():
            return _row(type_, around)
        case RawType():
            return _raw(type_)
        case DistinctType(source_type=source):
            return _not_null(source, around)
        case NullType():
            return _null(type_)
        case _:
            getter_of(type_)
            raise AssertionError(type_)


def _null(type_: LogicalType) -> Convert:
    def convert(value: Any) -> None:
        raise ValueMismatch(value, type_, "only NULL is one")

    return convert


def _raw(type_: RawType) -> Convert:
    def convert(value: Any) -> RawValueData[Any]:
        if isinstance(value, RawValueData):
            return value
        if any(class_name_of(base) == type_.class_name for base in type(value).__mro__):
            return RawValueData.from_object(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return RawValueData.from_bytes(bytes(value))
        raise ValueMismatch(value, type_, f"it takes objects of {type_.class_name} and their bytes")

    return convert


def _array(type_: ArrayType, around: Surroundings) -> Convert:
    convert_element = from_external(type_.element_type, around)
    primitive = _PRIMITIVE_FORMATS.get(type(type_.element_type))

    def convert(value: Any) -> ArrayData:
        if isinstance(value, ArrayData):
            return value
        if isinstance(value, (list, tuple)):
            return _elements(value, convert_element)
        if isinstance(value, arrays.array) or (is_numpy(value) and hasattr(value, "dtype") and hasattr(value, "ndim")):
            return _from_buffer(value, type_, primitive, convert_element)
        if any(class_name_of(base) == ARROW_ARRAY for base in type(value).__mro__):
            return _from_arrow(value, type_)
        if is_numpy(value) and hasattr(value, "tolist"):
            return _elements(value.tolist(), convert_element)
        raise ValueMismatch(value, type_, "it takes list, tuple, numpy.ndarray, array.array or pyarrow.Array")

    return convert


def _elements(values: Sequence[Any], convert: Convert) -> ArrayData:
    try:
        return GenericArrayData._of([convert(value) for value in values])
    except ValueMismatch as mismatch:
        raise mismatch.within(_place_of_first(values, convert)) from None


def _place_of_first(values: Sequence[Any], convert: Convert) -> str:
    """Returns which of the values is the first that does not fit; only asked when one does not."""
    for number, value in enumerate(values, 1):
        try:
            convert(value)
        except ValueMismatch:
            return f"element {number}"
    return "an element"


def _from_buffer(value: Any, type_: ArrayType, primitive: str | None, convert: Convert) -> ArrayData:
    """Takes numbers over as a copy of their memory where they have the format of the type, else one by one."""
    if is_numpy(value) and value.ndim != 1:
        raise ValueMismatch(value, type_, "it has not exactly one dimension")
    if not is_numpy(value) or value.dtype.kind in "biuf":
        view = memoryview(value)
        if view.format in _SIGNED_FORMATS:
            copy = GenericArrayData(memoryview(view.tobytes()).cast(view.format))  # type: ignore[call-overload]  # one of the formats
            if copy.primitive_view().format == primitive:
                return copy
        return _elements(value.tolist(), convert)
    # As numpy's own scalars: tolist() makes plain integers of nanoseconds.
    return _elements(list(value), convert)


def _from_arrow(value: Any, type_: ArrayType) -> ArrayData:
    convert = arrow_elements().from_arrow
    try:
        elements = convert(value, type_.element_type)
    except TableError as error:
        raise ValueMismatch(value, type_, error.message.rstrip(".")) from error
    return GenericArrayData._of(elements)


def _map(type_: LogicalType, convert_key: Convert, convert_value: Convert) -> Convert:
    def convert(value: Any) -> MapData:
        if isinstance(value, MapData):
            return value
        if not isinstance(value, Mapping):
            raise ValueMismatch(value, type_, "it takes dict")
        entries = {}
        for key, item in value.items():
            try:
                internal_key = convert_key(key)
            except ValueMismatch as mismatch:
                raise mismatch.within("a key") from None
            try:
                entries[internal_key] = convert_value(item)
            except ValueMismatch as mismatch:
                raise mismatch.within(f"the value of key {key!r}") from None
        return GenericMapData._of(entries)

    return convert


def _row(type_: RowType | StructuredType, around: Surroundings) -> Convert:
    names = type_.field_names
    converts = [from_external(field.type, around) for field in type_.fields]
    values_of = _values_of(type_)

    def convert(value: Any) -> RowData:
        if isinstance(value, RowData):
            if value.arity != len(names):
                raise ValueMismatch(value, type_, f"it takes {len(names)} values")
            return value
        internal: list[Any] = []
        for convert_field, item in zip(converts, values_of(value), strict=True):
            try:
                internal.append(convert_field(item))
            except ValueMismatch as mismatch:
                raise mismatch.within(f"field '{names[len(internal)]}'") from None
        return GenericRowData._of(internal, value.get_row_kind() if isinstance(value, Row) else RowKind.INSERT)

    return convert


def _values_of(type_: RowType | StructuredType) -> Callable[[Any], Sequence[Any]]:
    names = type_.field_names
    known = frozenset(names)

    def values_of(value: Any) -> Sequence[Any]:
        if isinstance(value, (tuple, list)):
            values: Sequence[Any] = value
        elif isinstance(value, Row) and value.get_field_names() is None:
            values = list(value)
        elif isinstance(value, (Row, Mapping)):
            by_name: Mapping[str, Any] = value.as_dict() if isinstance(value, Row) else value
            unknown = [name for name in by_name if name not in known]
            if unknown:
                raise ValueMismatch(value, type_, f"it has no field '{unknown[0]}'")
            return [by_name.get(name) for name in names]
        elif names and all(hasattr(value, name) for name in names):
            return [getattr(value, name) for name in names]
        else:
            raise ValueMismatch(value, type_, "it takes Row, tuple, dict or an object with the fields as attributes")
        if len(values) != len(names):
            raise ValueMismatch(value, type_, f"it takes {len(names)} values, but got {len(values)}")
        return values

    return values_of
