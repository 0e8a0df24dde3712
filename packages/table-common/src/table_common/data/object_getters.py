"""The getters of rows and arrays that hold Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

from table_common.annotation import override
from table_common.data.decimal import DecimalData
from table_common.data.raw import RawValueData
from table_common.data.row_data import ArrayData, DataGetters, MapData, RowData
from table_common.data.string import StringData
from table_common.data.time_interval import IntervalData, TimeData
from table_common.data.timestamp import TimestampData
from table_common.exceptions import TableRuntimeException, ValidationException

T = TypeVar("T")

INTERNAL_CLASSES = frozenset(
    {bool, int, float, bytes, StringData, DecimalData, TimestampData, TimeData, IntervalData, RawValueData, type(None)}
)
"""The classes of values that are internal structures and hold no others."""
_CONTAINERS = (RowData, ArrayData, MapData)


def require_internal(value: object, where: str) -> None:
    """Checks that the value is an internal structure.

    Raises:
        ValidationException: It is an object as programs have it, such as ``str``.
    """
    if type(value) not in INTERNAL_CLASSES and not isinstance(value, _CONTAINERS):
        raise ValidationException(
            f"{where} takes internal structures (bool, int, float, bytes, StringData, DecimalData, TimestampData, TimeData, IntervalData, "
            f"RawValueData, RowData, ArrayData, MapData), but got {value!r} of class {type(value).__name__}.",
            hint="Make it with StringData.from_string(...) and the like, or convert whole rows with DataStructureConverter.",
        )


class ObjectGetters(DataGetters):
    """Getters over ``_values``, each of which is an internal structure or None."""

    __slots__ = ()

    _values: Sequence[Any]

    def _at(self, position: int, class_: type[T]) -> T:
        try:
            value = self._values[position]
        except IndexError:
            self._refuse_position(position)
        # The exact class first: it is nearly always right, and bool shall not pass for int.
        if type(value) is class_ or (class_ is not int and isinstance(value, class_)):
            return value
        raise _unexpected(value, class_, position)

    def _refuse_position(self, position: int) -> NoReturn:
        raise TableRuntimeException(f"There is no position {position}: there are {len(self._values)} values, counted from 0.") from None

    @override
    def is_null_at(self, position: int) -> bool:
        try:
            return self._values[position] is None
        except IndexError:
            self._refuse_position(position)

    @override
    def get_boolean(self, position: int) -> bool:
        return self._at(position, bool)

    @override
    def get_byte(self, position: int) -> int:
        return self._at(position, int)

    @override
    def get_short(self, position: int) -> int:
        return self._at(position, int)

    @override
    def get_int(self, position: int) -> int:
        return self._at(position, int)

    @override
    def get_long(self, position: int) -> int:
        return self._at(position, int)

    @override
    def get_float(self, position: int) -> float:
        return self._at(position, float)

    @override
    def get_double(self, position: int) -> float:
        return self._at(position, float)

    @override
    def get_string(self, position: int) -> StringData:
        return self._at(position, StringData)

    @override
    def get_decimal(self, position: int, precision: int, scale: int) -> DecimalData:
        return self._at(position, DecimalData)

    @override
    def get_timestamp(self, position: int, precision: int) -> TimestampData:
        return self._at(position, TimestampData)

    @override
    def get_time(self, position: int, precision: int) -> TimeData:
        if TimeData.is_compact(precision):
            return TimeData.from_millis(self._at(position, int))
        return self._at(position, TimeData)

    @override
    def get_interval(self, position: int, precision: int) -> IntervalData:
        if IntervalData.is_compact(precision):
            return IntervalData.from_millis(self._at(position, int))
        return self._at(position, IntervalData)

    @override
    def get_raw_value(self, position: int) -> RawValueData[Any]:
        return self._at(position, RawValueData)

    @override
    def get_binary(self, position: int) -> bytes:
        return self._at(position, bytes)

    @override
    def get_array(self, position: int) -> ArrayData:
        return self._at(position, ArrayData)  # type: ignore[type-abstract]  # only asked whether it is one

    @override
    def get_map(self, position: int) -> MapData:
        return self._at(position, MapData)  # type: ignore[type-abstract]  # only asked whether it is one

    @override
    def get_row(self, position: int, num_fields: int) -> RowData:
        row = self._at(position, RowData)  # type: ignore[type-abstract]  # only asked whether it is one
        if row.arity != num_fields:
            raise TableRuntimeException(f"The row at position {position} has {row.arity} fields, not {num_fields}.")
        return row


def _unexpected(value: object, class_: type[Any], position: int) -> TableRuntimeException:
    if value is None:
        return TableRuntimeException(f"The value at position {position} is NULL.", hint="Ask is_null_at(position) first.")
    return TableRuntimeException(
        f"The value at position {position} is {value!r} of class {type(value).__name__}, not {class_.__name__}.",
        hint="Use the getter of the field's type.",
    )
