"""Structures by slot as arrays, one for each field, written as ``ObjectColumn`` writes objects of the same class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.functions import StateEntry
from table_common.types import (
    BigIntType,
    BooleanType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    RowType,
    SmallIntType,
    StructuredType,
    TinyIntType,
)
from table_runtime.aggregates.accumulator_columns import AccumulatorColumns
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.udf.values import write_values

Array = np.ndarray[Any, np.dtype[Any]]
_DTYPES: Mapping[type[LogicalType], type[np.generic]] = {
    BooleanType: np.bool_,
    TinyIntType: np.int8,
    SmallIntType: np.int16,
    IntType: np.int32,
    BigIntType: np.int64,
    FloatType: np.float32,
    DoubleType: np.float64,
}


class StructFields:
    """The fields of a structure as arrays: attributes that a call reads, changes in place, or sets."""

    def __init__(self, fields: Mapping[str, Array]) -> None:
        self.__dict__.update(fields)


class StructColumn(StateTable):
    """A structure per slot, or none. A field of numbers or BOOLEAN whose default is not None is an array of its type; others are arrays of objects."""

    def __init__(self, function: str, entry: StateEntry, new: Any) -> None:
        type_ = entry.extracted.type
        assert isinstance(type_, RowType | StructuredType)
        self._function, self._name, self._type = function, entry.name, type_
        self._written = AccumulatorColumns(function, entry.extracted, "state object")
        self._defaults = {name: new[name] if isinstance(type_, RowType) else getattr(new, name) for name in type_.field_names}
        self._fields: dict[str, Array] = {}
        for field in type_.fields:
            default = self._defaults[field.name]
            dtype = object if default is None else _DTYPES.get(type(field.type), object)
            self._fields[field.name] = np.full(0, default, dtype)
        self._there: Array = np.zeros(0, np.bool_)

    def grow(self, size: int) -> None:
        """Makes room for slots below ``size``."""
        if len(self._there) >= size:
            return
        used = len(self._there)
        self._there = grown(self._there, size)
        for name, array in self._fields.items():
            larger = np.empty(len(self._there), array.dtype)
            larger[:used] = array
            larger[used:] = self._defaults[name]
            self._fields[name] = larger

    def has(self, slots: Slots) -> Truths:
        """Returns which slots have a structure."""
        inside = slots < len(self._there)
        found = np.zeros(len(slots), np.bool_)
        found[inside] = self._there[slots[inside]]
        return found

    def value_of(self, slot: int) -> Any:
        """Returns the structure of a slot as an object of its class; None if it has none."""
        if not self.has(np.array([slot])).any():
            return None
        (value,) = self._written.read(self.snapshot(np.array([slot])).column(1))
        return value

    def of(self, slots: Slots) -> StructFields:
        """Returns the fields of some slots, with the defaults of the class for those that have none."""
        return StructFields({name: array[slots] for name, array in self._fields.items()})

    def set(self, slots: Slots, fields: StructFields) -> None:
        """Sets the fields of some slots.

        Raises:
            TableRuntimeException: an array has another length or type.
        """
        self._there[slots] = True
        for name, array in self._fields.items():
            given = np.asarray(getattr(fields, name))
            if given.shape != slots.shape:
                if given.shape:
                    raise self._wrong(name, f"{len(given)} values for {len(slots)} rows")
                given = np.full(slots.shape, given)
            if given.dtype != array.dtype and not np.can_cast(given.dtype, array.dtype, "safe"):
                given = self._converted(name, given, array.dtype)
            array[slots] = given

    def clear(self, slots: Slots) -> None:
        """Removes the structures of some slots."""
        self._there[slots] = False
        for name, array in self._fields.items():
            array[slots] = self._defaults[name]

    @property
    @override
    def refusal(self) -> str | None:
        return self._written.refusal

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        places = np.flatnonzero(self.has(slots))
        taken = slots[places]
        struct = to_arrow_type(self._type)
        columns = []
        for field in self._type.fields:
            array = self._fields[field.name]
            if array.dtype == object:
                where = f"the field '{field.name}' of the state '{self._name}' of {self._function}"
                columns.append(write_values(array[taken].tolist(), field.type, where))
            else:
                columns.append(pa.array(array[taken], to_arrow_type(field.type)))
        return content_of(pa.array(places), [pa.StructArray.from_arrays(columns, fields=list(struct))])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        restored = slots[content.column(0).to_numpy()]
        self.grow(int(restored.max()) + 1)
        self._there[restored] = True
        objects = self._written.read(content.column(1))
        for name, array in self._fields.items():
            read = (one[name] if isinstance(self._type, RowType) else getattr(one, name) for one in objects)
            values = [self._defaults[name] if value is None and array.dtype != object else value for value in read]
            filled = np.empty(len(values), array.dtype)
            filled[:] = values
            array[restored] = filled

    def _converted(self, name: str, given: Array, dtype: np.dtype[Any]) -> Array:
        if (given.dtype.kind in "iub" and dtype.kind in "iu") or (given.dtype.kind in "iuf" and dtype.kind == "f"):
            converted = given.astype(dtype)
            if dtype.kind == "f" or (converted == given).all():
                return converted
            raise self._wrong(name, "numbers that it cannot hold")
        raise self._wrong(name, f"values of the type {given.dtype}")

    def _wrong(self, name: str, what: str) -> TableRuntimeException:
        type_ = self._type.field_types[self._type.field_names.index(name)]
        return TableRuntimeException(
            f"The state '{self._name}' of the function {self._function} has {what} in its field '{name}' after a call, which is declared as {type_.summary()}.",
            hint="set it to an array with a value of this type for each row of the call",
        )
