"""Converts the rows that a callable returns to record batches of the scan's columns."""

from __future__ import annotations

from collections.abc import AsyncIterable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import build_column, conform, conform_array, from_python_rows, to_arrow_schema
from table_common.data import Row
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.types import ArrayType, LogicalType, RowType
from table_runtime.columns.batches import make_batch
from table_runtime.connectors.python.async_rows import AsyncRows
from table_runtime.connectors.python.user_code import UserCode
from table_runtime.formats.inferred_types import inferred_row

BATCH_ROWS = 16_384
"""Maximum single rows per batch."""
_ACCEPTED = "Accepted: a table, record batch, dict of columns, or an iterable, also an asynchronous one, of these or of rows (tuple, list, dict, Row)."


class GivenRows:
    """Converts the results of the user's code to batches with the columns ``wanted``.

    Columns of tables, record batches and dicts are matched by name; additional columns are ignored. Rows are tuples by position or dicts by
    name, with the columns ``given``: all ``declared`` columns, or those that were requested from the callable.
    """

    def __init__(self, code: UserCode, declared: RowType, given: RowType, wanted: RowType) -> None:
        self._code = code
        self._given = given
        self._others = frozenset(declared.field_names) - frozenset(given.field_names)
        self._wanted = wanted
        self._schema = to_arrow_schema(wanted)
        self._types = {field.name: field.type for field in given.fields}
        positions = {name: position for position, name in enumerate(given.field_names)}
        self._positions = [positions[name] for name in wanted.field_names]
        self._rows_before = 0

    def batches(self, result: Any, most: int) -> Iterator[pa.RecordBatch]:
        """Yields the rows; at most ``most`` single rows per batch.

        Raises:
            TableRuntimeException: the user's code failed, or its rows do not match the table.
        """
        if _is_arrow(result) or isinstance(result, Mapping):
            yield from self._of_item(result)
            return
        items = items_of(self._code, result)
        try:
            yield from self._of_items(items, min(most, BATCH_ROWS))
        finally:
            if isinstance(items, (Generator, AsyncRows)):
                items.close()

    def _of_items(self, items: Iterator[Any], size: int) -> Iterator[pa.RecordBatch]:
        rows: list[Any] = []
        end = object()
        while (item := self._code.guarded(lambda: next(items, end))) is not end:
            is_row = isinstance(item, (tuple, list, Row)) or (isinstance(item, Mapping) and not self._is_columns(item))
            if is_row:
                rows.append(item)
            if rows and (len(rows) >= size or not is_row):
                yield self._of_rows(rows)
                rows = []
            if not is_row:
                yield from self._of_item(item)
        if rows:
            yield self._of_rows(rows)

    def _of_item(self, item: Any) -> Iterator[pa.RecordBatch]:
        if isinstance(item, Mapping):
            yield self._of_columns(item) if self._is_columns(item) else self._of_rows([item])
            return
        if not _is_arrow(item):
            raise TableRuntimeException(f"{self._code.described()} returned {_shown(item)} among its rows. {_ACCEPTED}")
        batches = self._code.guarded(lambda: _stream(item))
        while (batch := self._code.guarded(lambda: next(batches, None))) is not None:
            try:
                yield conform(batch, self._wanted, match_names=True, trust_schema=False)
            except TableError as error:
                raise self._misfit(error, [f"{field.name} {field.type}" for field in batch.schema]) from error

    def _of_columns(self, columns: Mapping[str, Any]) -> pa.RecordBatch:
        try:
            sizes = {len(column) for column in columns.values()}
            if len(sizes) > 1:
                lengths = ", ".join(f"{name}: {len(column)}" for name, column in columns.items())
                raise ValidationException(f"The columns of a dict have different lengths: {lengths}.")
            arrays = [self._column(columns, field.name, field.type) for field in self._wanted.fields]
            return make_batch(arrays, self._schema, sizes.pop())
        except TableError as error:
            raise self._misfit(error, [f"{name} {_kind(column)}" for name, column in columns.items()]) from error

    def _column(self, columns: Mapping[str, Any], name: str, type_: LogicalType) -> pa.Array:
        column = columns.get(name)
        if column is None:
            raise ValidationException.unknown("Column", name, columns, where="the dict of columns")
        if isinstance(column, (list, tuple)):
            return conform_array(build_column(column, type_, f"column '{name}'"), type_, f"Column '{name}'")
        array = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.array(column, from_pandas=True)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        return conform_array(array, type_, f"Column '{name}'")

    def _of_rows(self, rows: Sequence[Any]) -> pa.RecordBatch:
        before, self._rows_before = self._rows_before, self._rows_before + len(rows)
        if self._others:
            # A callable that was asked for some columns may return others, too, in dicts.
            rows = [self._without_others(row) if isinstance(row, Mapping) else row for row in rows]
        try:
            batch = conform(from_python_rows(rows, self._given), self._given)
        except TableError as error:
            if before:
                error.message += f" (Row 1 in this message is row {before + 1} of the result.)"
            raise self._misfit(error, None) from error
        return batch.select(self._positions)

    def _without_others(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in row.items() if name not in self._others}

    def _is_columns(self, item: Mapping[Any, Any]) -> bool:
        """Returns whether a dict holds columns, not the values of one row: all values are lists or arrays that are not values of ARRAY columns."""
        return bool(item) and all(_is_column(value, self._types.get(name)) for name, value in item.items())

    def _misfit(self, error: TableError, given: Sequence[str] | None) -> TableRuntimeException:
        declared = ", ".join(f"{field.name} {field.type}" for field in self._given.fields)
        sides = f" {'Requested' if self._others else 'Declared'}: {declared}." + (
            "" if given is None else f" Returned: {', '.join(given) or 'no columns'}."
        )
        return TableRuntimeException(
            f"{self._code.described()} returned rows that do not match the table: {error.message}{sides}", hint=error.hint
        )


def items_of(code: UserCode, result: Any) -> Iterator[Any]:
    """Returns the items of a result: rows, or Arrow data and dicts of columns.

    Raises:
        TableRuntimeException: the user's code failed, or returned something else.
    """
    if _is_arrow(result):
        return code.guarded(lambda: _stream(result))
    if isinstance(result, Mapping):
        return iter((result,))
    if isinstance(result, AsyncIterable):
        return code.guarded(lambda: AsyncRows(result))
    if isinstance(result, (str, bytes)) or not isinstance(result, Iterable):
        raise TableRuntimeException(f"{code.described()} returned {_shown(result)}. {_ACCEPTED}")
    return code.guarded(lambda: iter(result))


def given_type(code: UserCode) -> RowType | None:
    """Returns the columns of the first result of the user's code if it is Arrow data; None otherwise.

    Raises:
        TableRuntimeException: the user's code failed.
        TableException: a column's type has no SQL type.
    """
    if "columns" in code.arguments:  # its result depends on the requested columns, so they cannot be inferred
        return None
    first = code.rows({"limit": 1, "filters": None})
    if not _is_arrow(first):
        if isinstance(first, (str, bytes, Mapping)) or not isinstance(first, Iterable):
            return None
        items = code.guarded(lambda: iter(first))
        first = code.guarded(lambda: next(items, None))
        if isinstance(items, Generator):
            items.close()
        if not _is_arrow(first):
            return None
    schema = first.schema if isinstance(first, (pa.Table, pa.RecordBatch)) else code.guarded(lambda: _schema(first))
    return inferred_row(schema, f"the result of the Python callable '{code.name}'")


def _schema(item: Any) -> pa.Schema:
    if hasattr(item, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(item).schema
    return pa.record_batch(item).schema


def _is_arrow(value: object) -> bool:
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def _stream(item: Any) -> Iterator[pa.RecordBatch]:
    if isinstance(item, (pa.RecordBatch, pa.Table, pa.RecordBatchReader)):
        return iter((item,)) if isinstance(item, pa.RecordBatch) else iter(item.to_batches() if isinstance(item, pa.Table) else item)
    if hasattr(item, "__arrow_c_stream__"):
        return iter(pa.RecordBatchReader.from_stream(item))
    return iter((pa.record_batch(item),))


def _is_column(value: object, type_: LogicalType | None) -> bool:
    if isinstance(value, (list, tuple)):
        return not isinstance(type_, (ArrayType, RowType)) or all(cell is None or isinstance(cell, (list, tuple)) for cell in value)
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return True
    return getattr(value, "ndim", None) == 1


def _kind(column: Any) -> str:
    return str(getattr(column, "type", None) or getattr(column, "dtype", None) or type(column).__name__)


def _shown(value: object) -> str:
    text = repr(value)
    return f"the {type(value).__qualname__} {text if len(text) <= 80 else text[:77] + '...'}"
