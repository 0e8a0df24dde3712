"""Lookup functions over registered rows: one of each kind that a connector can have, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import columnar_rows, import_batch
from table_common.connector import (
    AsyncLookupFunction,
    AsyncLookupFunctionProvider,
    LookupCache,
    LookupFunction,
    LookupFunctionProvider,
    LookupTableSource,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
    SupportsArrowArray,
)
from table_common.data import FieldGetter, RowData
from table_common.functions import FunctionContext
from table_common.types import RowType
from table_runtime.columns.plain_types import hashable_values

LOOKUP_MODES = ("batch", "row", "async-batch", "async-row")


def lookup_provider(
    mode: str, rows: pa.RecordBatch, row_type: RowType, keys: Sequence[int], cache: LookupCache | None
) -> LookupTableSource.LookupRuntimeProvider:
    """Returns the lookup provider of kind ``mode`` over the rows."""
    index = _Index(rows, row_type, tuple(keys))
    if mode.startswith("async"):
        asynchronous = _AsyncBatches(index) if mode == "async-batch" else _AsyncRows(index)
        return AsyncLookupFunctionProvider(asynchronous) if cache is None else PartialCachingAsyncLookupProvider(asynchronous, cache=cache)
    function = _Batches(index) if mode == "batch" else _Rows(index)
    return LookupFunctionProvider(function) if cache is None else PartialCachingLookupProvider(function, cache=cache)


class _Index:
    """Index of row positions by key, created at the first lookup."""

    def __init__(self, rows: pa.RecordBatch, row_type: RowType, keys: tuple[int, ...]) -> None:
        self.rows = rows
        self.row_type = row_type
        self.keys = keys
        self._positions: dict[tuple[Any, ...], list[int]] | None = None

    def find(self, key: tuple[Any, ...]) -> list[int]:
        if self._positions is None:
            self._positions = {}
            for position, values in enumerate(zip(*[hashable_values(self.rows.column(i)) for i in self.keys], strict=True)):
                self._positions.setdefault(values, []).append(position)
        return self._positions.get(key, [])

    def batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        key_numbers: list[int] = []
        row_positions: list[int] = []
        for number, key in enumerate(zip(*map(hashable_values, import_batch(keys).columns), strict=True)):
            for position in self.find(key):
                key_numbers.append(number)
                row_positions.append(position)
        rows = self.rows.take(pa.array(row_positions, pa.int64()))
        result: SupportsArrowArray = pa.RecordBatch.from_arrays(
            [pa.array(key_numbers, pa.int32()), *rows.columns], names=["key", *rows.schema.names]
        )
        return result

    def row(self, key_row: RowData) -> Iterable[RowData]:
        types = [self.row_type.fields[column].type for column in self.keys]
        key = [FieldGetter(type_, position)(key_row) for position, type_ in enumerate(types)]
        getters = [FieldGetter(type_, column) for column, type_ in zip(self.keys, types, strict=True)]
        return [view for view in columnar_rows(self.rows, self.row_type) if [get(view) for get in getters] == key]


class _Batches(LookupFunction):
    def __init__(self, index: _Index) -> None:
        self._index = index

    @override
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return self._index.batch(keys)


class _Rows(LookupFunction):
    def __init__(self, index: _Index) -> None:
        self._index = index

    @override
    def lookup(self, key_row: RowData) -> Iterable[RowData]:
        return self._index.row(key_row)


class _AsyncBatches(AsyncLookupFunction):
    def __init__(self, index: _Index) -> None:
        self._index = index

    @override
    async def async_lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return self._index.batch(keys)


class _AsyncRows(AsyncLookupFunction):
    def __init__(self, index: _Index) -> None:
        self._index = index
        self._is_open = False

    @override
    async def open(self, context: FunctionContext) -> None:
        self._is_open = True

    @override
    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        assert self._is_open
        return self._index.row(key_row)
