"""Converts rows of internal structures to record batches and back, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow.columnar_row import ColumnarRowData
from table_common.arrow.conforming import conform_array
from table_common.arrow.from_internal import Serializers, build_internal, field_columns
from table_common.arrow.record_batch import conform
from table_common.arrow.schema import ROW_KIND_COLUMN, to_arrow_schema
from table_common.arrow.streams import split_row_kinds
from table_common.arrow.to_internal import internal_values
from table_common.connector import RowKind
from table_common.data import GenericRowData, RowData
from table_common.exceptions import ValidationException
from table_common.types import LogicalType, RowType

_KINDS = tuple(RowKind)


def from_row_data(
    rows: Iterable[RowData], row_type: RowType, *, with_row_kinds: bool = False, serializers: Serializers | None = None
) -> pa.RecordBatch:
    """Returns one record batch of the rows, in the canonical schema of ``row_type``.

    Args:
        rows: Rows of internal structures, of any implementation.
        row_type: The fields of the rows.
        with_row_kinds: Add the column of row kinds; without it every row has to be an insertion.
        serializers: For RAW types whose values were made from objects: the serializer of each class, by the class name in the type.

    Raises:
        ValidationException: A row has another number of fields, or a value does not fit; the message names column, row (from 1) and value.
    """
    row_list = list(rows)
    _check_rows(row_list, row_type, with_row_kinds)
    schema = to_arrow_schema(row_type)
    arrays = _columns_of_one_batch(row_list, row_type)
    if arrays is None:
        arrays = [
            build_internal(values, field.type, f"column '{field.name}'", serializers)
            for values, field in zip(field_columns(row_list, row_type.field_types), row_type.fields, strict=True)
        ]
    if with_row_kinds:
        schema = schema.append(pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False))
        arrays = [*arrays, pa.array([row.get_row_kind().value for row in row_list], pa.int8())]
    if arrays:
        return pa.RecordBatch.from_arrays(arrays, schema=schema)
    # Only a struct knows how many rows there are when there is no column.
    return pa.RecordBatch.from_struct_array(pa.array([{}] * len(row_list), pa.struct([])))


def to_row_data(batches: Iterable[pa.RecordBatch], row_type: RowType) -> Iterator[GenericRowData]:
    """Yields the rows of the batches, each with values of its own; ``columnar_rows`` gives views instead.

    A batch with one column more than ``row_type`` is a changelog batch: the column says the rows' kinds.

    Raises:
        ValidationException: A batch does not have the columns of ``row_type``.
        TableRuntimeException: A value does not fit, or is NULL where the type says NOT NULL.
    """
    make, insert, width = GenericRowData._of, RowKind.INSERT, len(row_type.fields)
    for batch in batches:
        data, kinds = split_row_kinds(batch, width) if batch.num_columns == width + 1 else (batch, None)
        conformed = conform(data, row_type)
        columns = [internal_values(conformed.column(i), field.type) for i, field in enumerate(row_type.fields)]
        values: Iterable[Sequence[Any]] = zip(*columns, strict=True) if columns else [()] * batch.num_rows
        if kinds is None:
            yield from (make(list(row), insert) for row in values)
        else:
            yield from (make(list(row), _KINDS[kind]) for row, kind in zip(values, kinds, strict=True))


def elements_from_arrow(array: pa.Array, element_type: LogicalType) -> list[Any]:
    """Returns the internal structures of an array in any layout that can be read as the type.

    Raises:
        ValidationException: The array's type cannot be read as ``element_type``.
        TableRuntimeException: A value does not fit, or is NULL where the type says NOT NULL.
    """
    return internal_values(conform_array(array, element_type, "The array"), element_type)


def elements_to_arrow(values: Sequence[Any], element_type: LogicalType, serializers: Serializers | None = None) -> pa.Array:
    """Returns the array of internal structures in the canonical Arrow type of ``element_type``.

    Raises:
        ValidationException: A value does not fit.
    """
    return build_internal(values, element_type, "the array", serializers)


def _check_rows(rows: Sequence[RowData], row_type: RowType, with_row_kinds: bool) -> None:
    width = len(row_type.fields)
    if set(map(type, rows)) == {GenericRowData}:  # most are; the others, and what is wrong, are looked at row by row
        kinds = set() if with_row_kinds else {row.get_row_kind() for row in rows}
        if kinds <= {RowKind.INSERT} and {row.arity for row in rows} == {width}:
            return
    for number, row in enumerate(rows, 1):
        if not isinstance(row, RowData):
            raise ValidationException(
                f"Row {number} is {row!r} of class {type(row).__name__}, no RowData.",
                hint="from_python_rows(...) takes tuples, dicts and Rows.",
            )
        if row.arity != width:
            names = ", ".join(row_type.field_names)
            raise ValidationException(f"Row {number} has {row.arity} fields, but {width} columns are declared ({names}).")
        if not with_row_kinds and row.get_row_kind() is not RowKind.INSERT:
            raise ValidationException(
                f"Row {number} is a change of the kind {row.get_row_kind()}, which a batch without row kinds cannot represent.",
                hint="Pass with_row_kinds=True.",
            )


def _columns_of_one_batch(rows: Sequence[RowData], row_type: RowType) -> list[pa.Array] | None:
    """Returns the columns without reading a value if all rows are views of one batch of the same type."""
    first = rows[0] if rows else None
    if not isinstance(first, ColumnarRowData) or first.row_type.fields != row_type.fields:
        return None
    indices = []
    for row in rows:
        if not isinstance(row, ColumnarRowData) or not row.shares_batch_with(first):
            return None
        indices.append(row.row_id)
    return first.take(indices)
