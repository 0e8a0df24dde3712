"""Reads cells of Arrow arrays as internal structures, without converting the whole array."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.to_internal import internal_values, nanos_of_unit
from table_common.data import DecimalData, IntervalData, RawValueData, StringData, TimeData, TimestampData
from table_common.data.row_data import DataGetters
from table_common.exceptions import TableRuntimeException
from table_common.types import DistinctType, LogicalType, RowType, StructuredType


class Columns:
    """Columns of the same length with their types; children of nested columns are looked up once."""

    __slots__ = ("_children", "arrays", "count", "kinds", "types")

    def __init__(self, arrays: Sequence[pa.Array], types: Sequence[LogicalType], count: int, kinds: pa.Array | None = None) -> None:
        self.arrays = arrays
        self.count = count
        self.types = types
        self.kinds = kinds
        self._children: dict[int, Columns] = {}

    def child(self, position: int) -> Columns:
        """Returns the fields of a column of rows."""
        found = self._children.get(position)
        if found is None:
            found = self._children[position] = fields_of(self.arrays[position], self.types[position])
        return found


def fields_of(array: pa.Array, type_: LogicalType) -> Columns:
    """Returns the fields of an array of rows.

    Raises:
        TableRuntimeException: The array is not of rows.
    """
    type_ = plain_type(type_)
    if not isinstance(type_, (RowType, StructuredType)):
        raise unexpected(type_, "a row")
    return Columns([array.field(i) for i in range(len(type_.fields))], type_.field_types, len(array))


def plain_type(type_: LogicalType) -> LogicalType:
    """Returns the type that values of a distinct type are of; any other type itself."""
    while isinstance(type_, DistinctType):
        type_ = type_.source_type
    return type_


def unexpected(type_: LogicalType, wanted: str) -> TableRuntimeException:
    """Returns the error of a getter that is called for a value of another type."""
    return TableRuntimeException(f"The value is of type {type_}, not {wanted}.", hint="Use the getter of the field's type.")


class CellGetters(DataGetters):
    """Getters over cells of Arrow arrays, for types without nested types."""

    __slots__ = ()

    @abstractmethod
    def _cell(self, position: int) -> tuple[pa.Array, int, LogicalType]:
        """Returns the array that the cell is in, its index there, and its type."""

    def _scalar(self, position: int) -> Any:
        array, index, _ = self._cell(position)
        scalar = array[index]
        if not scalar.is_valid:
            raise TableRuntimeException(f"The value at position {position} is NULL.", hint="Ask is_null_at(position) first.")
        return scalar

    def _python(self, position: int, class_: type[Any], wanted: str) -> Any:
        value = self._scalar(position).as_py()
        if type(value) is not class_:
            raise unexpected(self._cell(position)[2], wanted)
        return value

    @override
    def is_null_at(self, position: int) -> bool:
        array, index, _ = self._cell(position)
        return not array[index].is_valid

    @override
    def get_boolean(self, position: int) -> bool:
        result: bool = self._python(position, bool, "BOOLEAN")
        return result

    def _integer(self, position: int) -> int:
        scalar = self._scalar(position)
        if isinstance(scalar, (pa.Time64Scalar, pa.DurationScalar)):
            # Both are stored as milliseconds where a getter of an integer is the right one.
            return int(scalar.value * nanos_of_unit(scalar.type.unit) // 1_000_000)
        value = scalar.value if isinstance(scalar, pa.Date32Scalar) else scalar.as_py()
        if type(value) is not int:
            raise unexpected(self._cell(position)[2], "an integer")
        return value

    @override
    def get_byte(self, position: int) -> int:
        return self._integer(position)

    @override
    def get_short(self, position: int) -> int:
        return self._integer(position)

    @override
    def get_int(self, position: int) -> int:
        return self._integer(position)

    @override
    def get_long(self, position: int) -> int:
        return self._integer(position)

    @override
    def get_float(self, position: int) -> float:
        result: float = self._python(position, float, "FLOAT")
        return result

    @override
    def get_double(self, position: int) -> float:
        result: float = self._python(position, float, "DOUBLE")
        return result

    def _bytes(self, position: int, wanted: str) -> bytes:
        scalar = self._scalar(position)
        if not isinstance(scalar, pa.BinaryScalar):  # strings are too
            raise unexpected(self._cell(position)[2], wanted)
        result: bytes = scalar.as_buffer().to_pybytes()
        return result

    @override
    def get_string(self, position: int) -> StringData:
        return StringData._of(self._bytes(position, "text"))

    @override
    def get_decimal(self, position: int, precision: int, scale: int) -> DecimalData:
        array, index, type_ = self._cell(position)
        if not pa.types.is_decimal(array.type):
            raise unexpected(type_, "DECIMAL")
        self._scalar(position)
        result: DecimalData = internal_values(array.slice(index, 1), plain_type(type_))[0]
        return result

    @override
    def get_timestamp(self, position: int, precision: int) -> TimestampData:
        scalar = self._scalar(position)
        if not isinstance(scalar, pa.TimestampScalar):
            raise unexpected(self._cell(position)[2], "TIMESTAMP")
        millis, nanos = divmod(scalar.value * nanos_of_unit(scalar.type.unit), 1_000_000)
        return TimestampData._of(millis, nanos)

    @override
    def get_time(self, position: int, precision: int) -> TimeData:
        scalar = self._scalar(position)
        if not isinstance(scalar, pa.Time64Scalar):
            raise unexpected(self._cell(position)[2], "TIME")
        return TimeData._of(scalar.value * nanos_of_unit(scalar.type.unit))

    @override
    def get_interval(self, position: int, precision: int) -> IntervalData:
        scalar = self._scalar(position)
        if not isinstance(scalar, pa.DurationScalar):
            raise unexpected(self._cell(position)[2], "INTERVAL")
        return IntervalData._of(scalar.value * nanos_of_unit(scalar.type.unit))

    @override
    def get_raw_value(self, position: int) -> RawValueData[Any]:
        return RawValueData.from_bytes(self._bytes(position, "RAW"))

    @override
    def get_binary(self, position: int) -> bytes:
        return self._bytes(position, "bytes")
