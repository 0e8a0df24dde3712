"""Converts record batches to Python rows and back, and to the canonical schema of a row type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from table_common.arrow.conforming import conform_array
from table_common.arrow.schema import to_arrow_schema
from table_common.arrow.time_digits import may_hide_digits
from table_common.arrow.to_python import column_values
from table_common.exceptions import ValidationException
from table_common.types import RowType

if TYPE_CHECKING:
    from table_common.arrow.from_python import InputRow

_Data = TypeVar("_Data", pa.RecordBatch, pa.Table)


def to_python_rows(
    batches: Iterable[pa.RecordBatch], row_type: RowType, *, time_zone: tzinfo | None = None
) -> Iterator[tuple[object, ...]]:
    """Yields the rows of the batches as tuples of Python values.

    DATE, TIME and TIMESTAMP become ``datetime`` objects without a zone, TIMESTAMP_LTZ one in ``time_zone`` (UTC if none is given); day–time
    intervals ``timedelta``, year–month intervals ``Period``; DECIMAL ``Decimal`` with the type's scale; ARRAY a list, MAP and MULTISET a dict,
    ROW a ``Row``; NULL is None. Dates and times with digits below microseconds are ``NanosecondDatetime``, ``NanosecondTime`` and
    ``NanosecondTimedelta``.

    Raises:
        ValidationException: A batch does not have the columns of ``row_type``.
        TableRuntimeException: A value has no Python object: a year outside of 1 to 9999.

    Example:
        >>> from table_common.types import IntType
        >>> row_type = RowType.of([("id", IntType())])
        >>> list(to_python_rows([from_python_rows([(1,), (None,)], row_type)], row_type))
        [(1,), (None,)]
    """
    for batch in batches:
        if row_type.fields:
            yield from zip(*to_python_columns(batch, row_type, time_zone=time_zone), strict=True)
        else:
            yield from [()] * conform(batch, row_type).num_rows


def to_python_columns(batch: pa.RecordBatch, row_type: RowType, *, time_zone: tzinfo | None = None) -> list[list[Any]]:
    """Returns the Python values of each column of the batch. See ``to_python_rows``, whose errors it raises."""
    conformed = conform(batch, row_type)
    return [column_values(conformed.column(i), field.type, f"Column '{field.name}'", time_zone) for i, field in enumerate(row_type.fields)]


def from_python_rows(rows: Iterable[InputRow], row_type: RowType, *, time_zone: tzinfo | None = None) -> pa.RecordBatch:
    """Returns one record batch of the rows, in the canonical schema of ``row_type``.

    A row is a tuple, a list or a ``Row`` without names (values by position), or a dict or a ``Row`` with names (values by name; a name left
    out is NULL). Values are those that ``to_python_rows`` makes; fractions of a second beyond the declared precision are cut. A
    ``datetime`` without a zone given for TIMESTAMP_LTZ is taken in ``time_zone`` (UTC if none is given).

    Raises:
        ValidationException: A value does not fit; the message names column, row (from 1), type and value.

    Example:
        >>> from table_common.types import IntType
        >>> from_python_rows([(1,), {"id": 2}], RowType.of([("id", IntType())])).num_rows
        2
    """
    from table_common.arrow.from_python import columns_of  # few programs bring rows

    columns, count = columns_of(rows, row_type)
    return _of_columns(columns, count, row_type, time_zone)


def from_python_columns(columns: Sequence[Sequence[object]], row_type: RowType, *, time_zone: tzinfo | None = None) -> pa.RecordBatch:
    """Returns one record batch of values that are given column by column; there is at least one column. See ``from_python_rows``.

    Raises:
        ValidationException: A value does not fit; the message names column, row (from 1), type and value.
    """
    return _of_columns(columns, len(columns[0]), row_type, time_zone)


def _of_columns(columns: Sequence[Sequence[object]], count: int, row_type: RowType, time_zone: tzinfo | None) -> pa.RecordBatch:
    schema = to_arrow_schema(row_type)
    from table_common.arrow.from_python import build_column  # few programs bring rows

    arrays = [
        build_column(values, field.type, f"column '{field.name}'", time_zone)
        for values, field in zip(columns, row_type.fields, strict=True)
    ]
    return _batch(arrays, schema, count)


def conform(data: _Data, row_type: RowType, *, match_names: bool = False, trust_schema: bool = True, require_parts: bool = True) -> _Data:
    """Returns the record batch or table in the canonical schema of ``row_type``; no value changes, but times are cut to the digits of their types.

    Dictionaries and views are decoded, wide offsets narrowed, numbers and units cast where every value fits, names and metadata set.

    Args:
        data: The record batch or table.
        row_type: The type of the result.
        match_names: Match columns by name, in any order, and ignore other columns; otherwise by position, whatever their names.
        trust_schema: Data that has the canonical schema already is returned as it is; otherwise also its times are cut.
        require_parts: Whether NULL in a NOT NULL field, element or value inside of a column is an error, as NULL in a NOT NULL column is.

    Raises:
        ValidationException: Columns are missing, or of another type.
        TableRuntimeException: A value does not fit, or is NULL where the type says NOT NULL.
    """
    schema = to_arrow_schema(row_type)
    if data.schema.equals(schema, check_metadata=True) and not any(
        (not trust_schema and may_hide_digits(field.type)) or (not field.type.nullable and data.column(index).null_count)
        for index, field in enumerate(row_type.fields)
    ):
        return data
    indices = _indices_by_name(data.schema, row_type) if match_names else _indices_by_position(data.schema, row_type)
    columns = [
        _conform_column(data.column(index), field_index, row_type, schema, require_parts) for field_index, index in enumerate(indices)
    ]
    if isinstance(data, pa.Table):
        if not columns:
            return pa.Table.from_batches([_batch([], schema, data.num_rows)])
        return pa.Table.from_arrays(columns, schema=schema)
    return _batch(columns, schema, data.num_rows)


def _conform_column(
    column: pa.Array | pa.ChunkedArray, field_index: int, row_type: RowType, schema: pa.Schema, require_parts: bool
) -> pa.Array | pa.ChunkedArray:
    field = row_type.fields[field_index]
    where = f"Column '{field.name}'"
    if isinstance(column, pa.ChunkedArray):
        chunks = [conform_array(chunk, field.type, where, require_parts=require_parts) for chunk in column.chunks]
        return pa.chunked_array(chunks, type=schema.field(field_index).type)
    return conform_array(column, field.type, where, require_parts=require_parts)


def _indices_by_position(schema: pa.Schema, row_type: RowType) -> list[int]:
    if len(schema) != len(row_type.fields):
        raise ValidationException(
            f"The data has {len(schema)} columns ({', '.join(schema.names)}), "
            f"but {len(row_type.fields)} are declared ({', '.join(row_type.field_names)})."
        )
    return list(range(len(schema)))


def _indices_by_name(schema: pa.Schema, row_type: RowType) -> list[int]:
    indices = []
    for name in row_type.field_names:
        found = schema.get_all_field_indices(name)
        if len(found) > 1:
            raise ValidationException(f"The data has {len(found)} columns named '{name}'.")
        if not found:
            raise ValidationException.unknown("Column", name, schema.names, where="the data")
        indices.append(found[0])
    return indices


def _batch(arrays: list[pa.Array], schema: pa.Schema, count: int) -> pa.RecordBatch:
    if arrays:
        return pa.RecordBatch.from_arrays(arrays, schema=schema)
    # Only a struct knows how many rows there are when there is no column.
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
