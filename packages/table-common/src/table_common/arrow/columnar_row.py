"""Rows, arrays and maps that are views over Arrow data: cells are read on access, without copying the data.

The three are in one file because each can hold the others. Columns in the canonical Arrow type are read in place; others are cast to it
once, when the view is created.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow.cell_getters import CellGetters, Columns, fields_of, plain_type, unexpected
from table_common.arrow.conforming import conform_array
from table_common.arrow.schema import to_arrow_type
from table_common.arrow.time_digits import may_hide_digits
from table_common.arrow.to_internal import internal_values
from table_common.connector import RowKind
from table_common.data import (
    ArrayData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    MapData,
    RowData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import (
    ArrayType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
)

_KINDS = tuple(RowKind)


class _NestedGetters(CellGetters):
    """The getters of nested types."""

    __slots__ = ()

    @override
    def get_array(self, position: int) -> ArrayData:
        type_ = plain_type(self._cell(position)[2])
        if not isinstance(type_, ArrayType):
            raise unexpected(type_, "an array")
        return ColumnarArrayData(self._scalar(position).values, type_.element_type)

    @override
    def get_map(self, position: int) -> MapData:
        type_ = plain_type(self._cell(position)[2])
        entries = self._scalar(position).values if isinstance(type_, (MapType, MultisetType)) else None
        match type_:
            case MapType(key_type=key, value_type=value):
                return ColumnarMapData(entries, key, value)
            case MultisetType(element_type=element):
                return ColumnarMapData(entries, element, IntType(nullable=False))
            case _:
                raise unexpected(type_, "a map")

    @override
    def get_row(self, position: int, num_fields: int) -> RowData:
        _, index, type_ = self._cell(position)
        columns = self._fields_at(position)
        if len(columns.arrays) != num_fields:
            raise TableRuntimeException(f"The row at position {position} has {len(columns.arrays)} fields, not {num_fields}.")
        self._scalar(position)
        plain = plain_type(type_)
        assert isinstance(plain, (RowType, StructuredType))
        return ColumnarRowData._of(columns, RowType(plain.fields), index)

    @abstractmethod
    def _fields_at(self, position: int) -> Columns:
        """Returns the columns of the fields of a row."""


class ColumnarRowData(_NestedGetters, RowData):
    """One row of a record batch. ``set_row_id`` moves the view to another row, so one object can walk a batch.

    Views are equal to views and to generic rows with the same kind and values; copying and pickling make a ``GenericRowData``, so that a row
    never takes its batch along.
    """

    __slots__ = ("_columns", "_kind", "_row_id", "_row_type")

    _columns: Columns
    _row_type: RowType
    _row_id: int
    _kind: RowKind | None

    def __init__(self, batch: pa.RecordBatch, row_type: RowType, row_id: int = 0) -> None:
        """Makes a view of a row (counted from 0); a column more than ``row_type`` has says the rows' kinds.

        Raises:
            ValidationException: The batch does not have the columns of ``row_type``.
            TableRuntimeException: A value does not fit a column that is not in its canonical Arrow type.
        """
        width = len(row_type.fields)
        if batch.num_columns not in (width, width + 1):
            raise ValidationException(
                f"The data has {batch.num_columns} columns ({', '.join(batch.schema.names)}), "
                f"but {width} are declared ({', '.join(row_type.field_names)})."
            )
        arrays = []
        for index, field in enumerate(row_type.fields):
            array = batch.column(index)
            canonical = array.type == to_arrow_type(field.type) and not may_hide_digits(field.type)
            arrays.append(array if canonical else conform_array(array, field.type, f"Column '{field.name}'"))
        kinds = batch.column(width) if batch.num_columns > width else None
        self._columns = Columns(arrays, row_type.field_types, batch.num_rows, kinds)
        self._row_type = row_type
        self.set_row_id(row_id)

    @classmethod
    def _of(cls, columns: Columns, row_type: RowType, row_id: int) -> ColumnarRowData:
        result = object.__new__(cls)
        result._columns = columns
        result._row_type = row_type
        result._row_id = row_id
        result._kind = None
        return result

    @property
    def row_type(self) -> RowType:
        """The type of the row."""
        return self._row_type

    @property
    def row_id(self) -> int:
        """Which row of the batch this is, from 0."""
        return self._row_id

    def set_row_id(self, row_id: int) -> None:
        """Moves the view to another row of the batch; a kind that was set is forgotten.

        Raises:
            TableRuntimeException: There is no such row.
        """
        if not 0 <= row_id < self._columns.count:
            raise TableRuntimeException(f"There is no row {row_id}: the batch has {self._columns.count} rows, counted from 0.")
        self._row_id = row_id
        self._kind = None

    def at(self, row_id: int) -> ColumnarRowData:
        """Returns a view of another row of the same batch.

        Raises:
            TableRuntimeException: There is no such row.
        """
        result = ColumnarRowData._of(self._columns, self._row_type, row_id)
        result.set_row_id(row_id)
        return result

    def shares_batch_with(self, other: ColumnarRowData) -> bool:
        """Returns whether both are views made from the same one."""
        return self._columns is other._columns

    def take(self, row_ids: Sequence[int]) -> list[pa.Array]:
        """Returns the columns with the rows chosen, in their order; nothing is copied if the rows follow one another."""
        start, count = (row_ids[0], len(row_ids)) if row_ids else (0, 0)
        if list(row_ids) == list(range(start, start + count)):
            return [array.slice(start, count) for array in self._columns.arrays]
        indices = pa.array(row_ids, pa.int64())
        return [pc.take(array, indices) for array in self._columns.arrays]

    def to_generic(self) -> GenericRowData:
        """Returns a row with copies of the values."""
        values = [internal_values(a.slice(self._row_id, 1), t)[0] for a, t in zip(self._columns.arrays, self._columns.types, strict=True)]
        return GenericRowData._of(values, self.get_row_kind())

    @override
    def _cell(self, position: int) -> tuple[pa.Array, int, LogicalType]:
        try:
            return self._columns.arrays[position], self._row_id, self._columns.types[position]
        except IndexError:
            raise TableRuntimeException(f"There is no position {position}: there are {self.arity} values, counted from 0.") from None

    @override
    def _fields_at(self, position: int) -> Columns:
        return self._columns.child(position)

    @property
    @override
    def arity(self) -> int:
        return len(self._columns.arrays)

    @override
    def get_row_kind(self) -> RowKind:
        if self._kind is None:
            kinds = self._columns.kinds
            self._kind = RowKind.INSERT if kinds is None else _KINDS[kinds[self._row_id].as_py()]
        return self._kind

    @override
    def set_row_kind(self, kind: RowKind) -> None:
        """Sets the kind of this view; the batch is not changed."""
        self._kind = kind

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ColumnarRowData):
            return self.to_generic() == other.to_generic()
        return self.to_generic() == other if isinstance(other, GenericRowData) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_generic())

    def __repr__(self) -> str:
        return repr(self.to_generic())

    def __reduce__(self) -> tuple[object, ...]:
        return self.to_generic().__reduce__()


class ColumnarArrayData(_NestedGetters, ArrayData):
    """An array that is a view over an Arrow array; equal to arrays of any kind with the same elements, pickled as a ``GenericArrayData``."""

    __slots__ = ("_array", "_element_type", "_fields")

    def __init__(self, array: pa.Array, element_type: LogicalType) -> None:
        """Makes a view over the elements, which are in the canonical Arrow type of ``element_type``."""
        self._array = array
        self._element_type = element_type
        self._fields: Columns | None = None

    def to_generic(self) -> GenericArrayData:
        """Returns an array with copies of the elements."""
        return GenericArrayData._of(internal_values(self._array, self._element_type))

    @override
    def size(self) -> int:
        return len(self._array)

    @override
    def _cell(self, position: int) -> tuple[pa.Array, int, LogicalType]:
        if not 0 <= position < len(self._array):
            raise TableRuntimeException(f"There is no position {position}: there are {len(self._array)} values, counted from 0.")
        return self._array, position, self._element_type

    @override
    def _fields_at(self, position: int) -> Columns:
        if self._fields is None:
            self._fields = fields_of(self._array, self._element_type)
        return self._fields

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ColumnarArrayData):
            return self.to_generic() == other.to_generic()
        return self.to_generic() == other if isinstance(other, GenericArrayData) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_generic())

    def __repr__(self) -> str:
        return repr(self.to_generic())

    def __reduce__(self) -> tuple[object, ...]:
        return self.to_generic().__reduce__()


class ColumnarMapData(MapData):
    """A map that is a view over an Arrow array of entries; equal to maps of any kind with the same entries, pickled as a ``GenericMapData``."""

    __slots__ = ("_entries", "_key_type", "_value_type")

    def __init__(self, entries: pa.StructArray, key_type: LogicalType, value_type: LogicalType) -> None:
        """Makes a view over the entries: rows of a key and a value in the canonical Arrow types."""
        self._entries = entries
        self._key_type = key_type
        self._value_type = value_type

    def to_generic(self) -> GenericMapData:
        """Returns a map with copies of the entries."""
        keys = internal_values(self._entries.field(0), self._key_type)
        return GenericMapData._of(dict(zip(keys, internal_values(self._entries.field(1), self._value_type), strict=True)))

    @override
    def size(self) -> int:
        return len(self._entries)

    @override
    def key_array(self) -> ArrayData:
        return ColumnarArrayData(self._entries.field(0), self._key_type)

    @override
    def value_array(self) -> ArrayData:
        return ColumnarArrayData(self._entries.field(1), self._value_type)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ColumnarMapData):
            return self.to_generic() == other.to_generic()
        return self.to_generic() == other if isinstance(other, GenericMapData) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_generic())

    def __repr__(self) -> str:
        return repr(self.to_generic())

    def __reduce__(self) -> tuple[object, ...]:
        return self.to_generic().__reduce__()


def columnar_rows(batch: pa.RecordBatch, row_type: RowType) -> Iterator[ColumnarRowData]:
    """Yields a view for each row of the batch; a column more than ``row_type`` has says the rows' kinds.

    Raises:
        ValidationException: The batch does not have the columns of ``row_type``.
        TableRuntimeException: A value does not fit a column that is not in its canonical Arrow type.
    """
    if batch.num_rows:
        first = ColumnarRowData(batch, row_type)
        for row_id in range(batch.num_rows):
            yield ColumnarRowData._of(first._columns, row_type, row_id)
