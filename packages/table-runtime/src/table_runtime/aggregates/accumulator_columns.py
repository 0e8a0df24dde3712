"""Accumulators of user aggregates as columns of their declared SQL type: what a checkpoint stores of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.data import Row
from table_common.exceptions import TableError, TableException, TableRuntimeException
from table_common.frozen_dataclass import replace
from table_common.functions import ExtractedType, ListView, MapView
from table_common.types import ArrayType, LogicalType, MapType, RawType, RowType, StructuredType
from table_runtime.udf.values import holds, read_values, reader_for, write_values


class AccumulatorColumns:
    """Writes and reads the accumulators of one call, or other ``objects``. ``refusal`` says why they have no written form; None if they have one."""

    def __init__(self, name: str, declared: ExtractedType | None, objects: str = "accumulator") -> None:
        self._name = name
        self._objects = objects
        if declared is not None and declared.conversion in (Any, object):  # as create_accumulator is annotated, beside a declared type
            declared = replace(declared, conversion=None)
        self._declared = declared
        self.refusal: str | None = None
        type_ = self._declared.type if self._declared is not None else None
        if type_ is None:
            self.refusal = "it has no declared SQL type"
        elif holds(type_, RawType):
            self.refusal = f"a part of its type, {type_}, has no SQL type"
        self._type = type_

    def write(self, accumulators: Sequence[Any]) -> pa.Array:
        """Returns the accumulators as a column; without any, of the type that it has, or of none.

        Raises:
            TableException: they have no written form.
            TableRuntimeException: one is not of the declared type.
        """
        if not accumulators and self.refusal is not None:
            return pa.nulls(0)
        type_ = self._checked()
        try:
            return write_values([_without_views(value, type_) for value in accumulators], type_, f"the {self._objects}s of {self._name}")
        except TableRuntimeException:
            raise
        except TableError as error:
            raise TableRuntimeException(
                f"{'An' if self._objects[0] in 'aeiou' else 'A'} {self._objects} of the function {self._name} is not of its declared type, so it cannot be written into a checkpoint: {error}"
            ) from error

    def read(self, column: pa.Array) -> list[Any]:
        """Returns the accumulators in a column.

        Raises:
            TableException: they have no written form.
            TableRuntimeException: the column is of another type.
        """
        type_ = self._checked()
        target = to_arrow_type(type_)
        if column.type != target:
            try:
                column = _as_type(column, target)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                raise TableRuntimeException(
                    f"The stored {self._objects}s of the function {self._name} are of the type {column.type}, not of its declared type {type_}: {error}"
                ) from error
        return read_values(column, type_, reader_for(type_, self._declared), f"the {self._objects}s of {self._name}")

    def _checked(self) -> LogicalType:
        if self._type is None or self.refusal is not None:
            raise TableException(f"The {self._objects}s of the function {self._name} cannot be written into a checkpoint: {self.refusal}.")
        return self._type


def _as_type(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Casts a column; structs field by field, by their names if these are the same, else by their places. A column without values may have any type."""
    if column.null_count == len(column) or pa.types.is_null(column.type):
        return pa.nulls(len(column), target)
    if pa.types.is_struct(target) and pa.types.is_struct(column.type) and column.type.num_fields == target.num_fields:
        names = [field.name for field in target]
        places = names if set(names) == {field.name for field in column.type} else range(len(names))
        parts = [_as_type(column.field(place), field.type) for place, field in zip(places, target, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=list(target), mask=column.is_null())
    if pa.types.is_map(target) and pa.types.is_map(column.type):
        return pa.array(column.to_pylist(), target)
    if pa.types.is_list(target) and pa.types.is_list(column.type):
        return pa.ListArray.from_arrays(_offsets(column), _as_type(column.flatten(), target.value_type), target)
    return column.cast(target)


def _offsets(column: pa.Array) -> pa.Array:
    """Returns the offsets of lists or maps in their flat values; NULL where a row is NULL."""
    lengths = [0 if length is None else length for length in pc.list_value_length(column).to_pylist()]
    ends = list(accumulate(lengths, initial=0))
    valid = [*column.is_valid().to_pylist(), True]
    return pa.array([end if is_valid else None for end, is_valid in zip(ends, valid, strict=True)], pa.int32())


def _without_views(value: Any, type_: LogicalType) -> Any:
    """Returns a value with the collections that its views hold, where the type has views."""
    if value is None or not holds(type_, StructuredType):
        return value
    match type_:
        case ArrayType(element_type=element) if isinstance(value, (list, tuple)):
            return [_without_views(item, element) for item in value]
        case MapType() if isinstance(value, Mapping):
            return {_without_views(key, type_.key_type): _without_views(item, type_.value_type) for key, item in value.items()}
        case RowType() | StructuredType():
            return _fields_without_views(value, type_)
        case _:
            return value


def _fields_without_views(value: Any, type_: RowType | StructuredType) -> Any:
    names = type_.field_names
    if isinstance(value, ListView):
        values: Sequence[Any] = [list(value.get())]
    elif isinstance(value, MapView):
        values = [dict(value.items())]
    elif isinstance(value, Row):
        found = value.as_dict() if value.get_field_names() is not None else None
        values = list(value) if found is None else [found.get(name) for name in names]
    elif isinstance(value, (list, tuple)):
        values = value
    elif all(hasattr(value, name) for name in names):
        values = [getattr(value, name) for name in names]
    else:
        return value
    if len(values) != len(names):
        return value
    return [_without_views(item, field.type) for item, field in zip(values, type_.fields, strict=True)]
