"""``RowData``, ``ArrayData``, ``MapData``: the interfaces of rows for engines, formats and connectors, whatever holds the values.

The three are in one file because each can hold the others. Positions count from 0. A getter raises for NULL: check ``is_null_at``
first, or use a function of ``create_field_getter``, which returns None.
"""

from __future__ import annotations

import array
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from table_common.annotation import public_evolving
from table_common.data.decimal import DecimalData
from table_common.data.field_getter import FieldGetter
from table_common.data.raw import RawValueData
from table_common.data.row_kind import RowKind
from table_common.data.string import StringData
from table_common.data.time_interval import IntervalData, TimeData
from table_common.data.timestamp import TimestampData
from table_common.exceptions import TableRuntimeException
from table_common.types.logical import LogicalType


class DataGetters(ABC):
    """The getters that rows and arrays share.

    Raises:
        TableRuntimeException: from each getter, if the value is NULL or has another type, or there is no such position.
    """

    __slots__ = ()

    @abstractmethod
    def is_null_at(self, position: int) -> bool:
        """Returns whether the value is NULL."""

    @abstractmethod
    def get_boolean(self, position: int) -> bool:
        """Returns the value of a BOOLEAN."""

    @abstractmethod
    def get_byte(self, position: int) -> int:
        """Returns the value of a TINYINT."""

    @abstractmethod
    def get_short(self, position: int) -> int:
        """Returns the value of a SMALLINT."""

    @abstractmethod
    def get_int(self, position: int) -> int:
        """Returns the value of an INT, the days of a DATE, the milliseconds of a TIME up to precision 3, the months of an INTERVAL."""

    @abstractmethod
    def get_long(self, position: int) -> int:
        """Returns the value of a BIGINT, or the milliseconds of a day–time INTERVAL up to precision 3."""

    @abstractmethod
    def get_float(self, position: int) -> float:
        """Returns the value of a FLOAT."""

    @abstractmethod
    def get_double(self, position: int) -> float:
        """Returns the value of a DOUBLE."""

    @abstractmethod
    def get_string(self, position: int) -> StringData:
        """Returns the value of a CHAR, VARCHAR or STRING, or the JSON text of a VARIANT."""

    @abstractmethod
    def get_decimal(self, position: int, precision: int, scale: int) -> DecimalData:
        """Returns the value of a DECIMAL(precision, scale)."""

    @abstractmethod
    def get_timestamp(self, position: int, precision: int) -> TimestampData:
        """Returns the value of a TIMESTAMP(precision) or TIMESTAMP_LTZ(precision)."""

    @abstractmethod
    def get_time(self, position: int, precision: int) -> TimeData:
        """Returns the value of a TIME(precision), also where it is stored as milliseconds."""

    @abstractmethod
    def get_interval(self, position: int, precision: int) -> IntervalData:
        """Returns the value of a day–time INTERVAL of the precision, also where it is stored as milliseconds."""

    @abstractmethod
    def get_raw_value(self, position: int) -> RawValueData[Any]:
        """Returns the value of a RAW."""

    @abstractmethod
    def get_binary(self, position: int) -> bytes:
        """Returns the value of a BINARY, VARBINARY or BYTES, or the bytes of a BITMAP."""

    @abstractmethod
    def get_array(self, position: int) -> ArrayData:
        """Returns the value of an ARRAY."""

    @abstractmethod
    def get_map(self, position: int) -> MapData:
        """Returns the value of a MAP, or the elements of a MULTISET with their counts."""

    @abstractmethod
    def get_row(self, position: int, num_fields: int) -> RowData:
        """Returns the value of a ROW or of a structured type with ``num_fields`` fields."""


@public_evolving
class RowData(DataGetters):
    """A row of internal structures with a row kind, which is not a column.

    Source: Flink's ``org.apache.flink.table.data.RowData``.

    Example:
        >>> from table_common.data import GenericRowData
        >>> from table_common.types import IntType
        >>> read = RowData.create_field_getter(IntType(), 0)
        >>> read(GenericRowData.of(7)), read(GenericRowData.of(None))
        (7, None)
    """

    __slots__ = ()

    @property
    @abstractmethod
    def arity(self) -> int:
        """The number of fields."""

    def get_arity(self) -> int:
        """Returns the number of fields."""
        return self.arity

    @abstractmethod
    def get_row_kind(self) -> RowKind:
        """Returns the kind of change that this row is."""

    @abstractmethod
    def set_row_kind(self, kind: RowKind) -> None:
        """Sets the kind of change that this row is."""

    @staticmethod
    def create_field_getter(field_type: LogicalType, field_position: int) -> FieldGetter:
        """Returns a picklable function from a row to the value of one field; None where it is NULL.

        Raises:
            ValidationException: Rows hold no values of the type.
        """
        return FieldGetter(field_type, field_position)


@public_evolving
class ArrayData(DataGetters):
    """Elements of internal structures, all of one type.

    Source: Flink's ``org.apache.flink.table.data.ArrayData``.

    Example:
        >>> from table_common.data import GenericArrayData
        >>> array = GenericArrayData([1, None])
        >>> isinstance(array, ArrayData), array.get_int(0), array.is_null_at(1)
        (True, 1, True)
    """

    __slots__ = ()

    @abstractmethod
    def size(self) -> int:
        """Returns the number of elements."""

    def __len__(self) -> int:
        return self.size()

    def get_generic(self, position: int) -> RawValueData[Any]:
        """Returns the value of a RAW, as ``get_raw_value`` does."""
        return self.get_raw_value(position)

    @staticmethod
    def create_element_getter(element_type: LogicalType) -> FieldGetter:
        """Returns a picklable function from an array and a position to the element; None where it is NULL.

        Raises:
            ValidationException: Arrays hold no values of the type.
        """
        return FieldGetter(element_type, None)

    def to_boolean_array(self) -> list[bool]:
        """Returns the elements of an ARRAY<BOOLEAN>.

        Raises:
            TableRuntimeException: An element is NULL or of another type; the same holds for the methods below.
        """
        return self._elements(self.get_boolean)

    def to_byte_array(self) -> array.array[int]:
        """Returns the elements of an ARRAY<TINYINT>, 8 bits each."""
        return self._primitives("b", self.get_byte)

    def to_short_array(self) -> array.array[int]:
        """Returns the elements of an ARRAY<SMALLINT>, 16 bits each."""
        return self._primitives("h", self.get_short)

    def to_int_array(self) -> array.array[int]:
        """Returns the elements of an ARRAY<INT>, 32 bits each."""
        return self._primitives("i", self.get_int)

    def to_long_array(self) -> array.array[int]:
        """Returns the elements of an ARRAY<BIGINT>, 64 bits each."""
        return self._primitives("q", self.get_long)

    def to_float_array(self) -> array.array[float]:
        """Returns the elements of an ARRAY<FLOAT>, 32 bits each."""
        return self._primitives("f", self.get_float)

    def to_double_array(self) -> array.array[float]:
        """Returns the elements of an ARRAY<DOUBLE>, 64 bits each."""
        return self._primitives("d", self.get_double)

    def _elements(self, get: Callable[[int], Any]) -> list[Any]:
        return [get(position) for position in range(self.size())]

    def _primitives(self, type_code: str, get: Callable[[int], Any]) -> array.array[Any]:
        try:
            return array.array(type_code, self._elements(get))
        except OverflowError as error:
            raise TableRuntimeException(f"An element of the array does not fit: {error}.") from error


@public_evolving
class MapData(ABC):
    """Keys and values of internal structures; a multiset's values are the counts of its elements.

    Source: Flink's ``org.apache.flink.table.data.MapData``.

    Example:
        >>> from table_common.data import GenericMapData
        >>> counts = GenericMapData({1: 2})
        >>> isinstance(counts, MapData), counts.key_array().get_int(0), counts.value_array().get_int(0)
        (True, 1, 2)
    """

    __slots__ = ()

    @abstractmethod
    def size(self) -> int:
        """Returns the number of entries."""

    def __len__(self) -> int:
        return self.size()

    @abstractmethod
    def key_array(self) -> ArrayData:
        """Returns the keys."""

    @abstractmethod
    def value_array(self) -> ArrayData:
        """Returns the values, in the order of the keys."""
