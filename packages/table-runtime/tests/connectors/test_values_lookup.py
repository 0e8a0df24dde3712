"""Lookups of registered rows: the four kinds of functions find the same rows."""

from __future__ import annotations

import asyncio
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows, from_python_rows
from table_common.connector import (
    AsyncLookupFunction,
    DefaultLookupCache,
    LookupFunction,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
)
from table_common.data import FieldGetter
from table_common.functions import FunctionContext
from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.values_lookup import LOOKUP_MODES, lookup_provider

ROW = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING")), ("n", parse_logical_type("INT"))], nullable=False)
ROWS = [(1, "x", 10), (2, "y", 20), (1, "x", 11), (1, "z", 12), (None, "x", 13)]


def function_of(mode: str, keys: tuple[int, ...]) -> Any:
    provider: Any = lookup_provider(mode, from_python_rows(ROWS, ROW), ROW, keys, None)
    function = provider.create_async_lookup_function() if mode.startswith("async") else provider.create_lookup_function()
    assert isinstance(function, AsyncLookupFunction if mode.startswith("async") else LookupFunction)
    return function


def found(mode: str, keys: tuple[int, ...], asked: list[tuple[Any, ...]]) -> list[tuple[int, Any]]:
    """Returns (position of the key, value of the column n) of each row that was found."""
    function = function_of(mode, keys)
    key_type = RowType(tuple(ROW.fields[key] for key in keys), nullable=False)
    key_batch = from_python_rows(asked, key_type)

    async def all_of() -> list[tuple[int, Any]]:
        if mode.startswith("async"):
            await function.open(FunctionContext())
        if mode.endswith("batch"):
            result = await function.async_lookup_batch(key_batch) if mode.startswith("async") else function.lookup_batch(key_batch)
            batch = pa.record_batch(result)
            assert batch.schema.names == ["key", "a", "b", "n"]
            return list(zip(batch.column("key").to_pylist(), batch.column("n").to_pylist(), strict=True))
        values = []
        getter = FieldGetter(parse_logical_type("INT"), 2)
        for position, key in enumerate(columnar_rows(key_batch, key_type)):
            rows = await function.async_lookup(key) if mode.startswith("async") else function.lookup(key)
            values += [(position, getter(row)) for row in rows]
        return values

    return asyncio.run(all_of())


@pytest.mark.parametrize("mode", LOOKUP_MODES)
def test_all_rows_of_each_key_are_found_in_their_order(mode: str) -> None:
    assert found(mode, (0,), [(2,), (1,), (7,), (2,)]) == [(0, 20), (1, 10), (1, 11), (1, 12), (3, 20)]


@pytest.mark.parametrize("mode", LOOKUP_MODES)
def test_a_key_may_be_several_columns_in_another_order(mode: str) -> None:
    assert found(mode, (1, 0), [("x", 1), ("z", 2)]) == [(0, 10), (0, 11)]


@pytest.mark.parametrize("mode", ["batch", "async-batch"])
def test_no_keys_find_no_rows_of_the_columns(mode: str) -> None:
    assert found(mode, (0,), []) == []


def test_a_cache_makes_the_function_a_cached_one() -> None:
    cache = DefaultLookupCache.from_options({"lookup.partial-cache.max-rows": "5"})
    rows = from_python_rows(ROWS, ROW)
    assert isinstance(lookup_provider("batch", rows, ROW, (0,), cache), PartialCachingLookupProvider)
    assert isinstance(lookup_provider("async-row", rows, ROW, (0,), cache), PartialCachingAsyncLookupProvider)


@pytest.mark.parametrize("mode", ["batch", "async-batch"])
@pytest.mark.parametrize(
    ("type_", "key", "other"), [("ARRAY<INT>", [1, None], [1]), ("ROW<a INT>", (1,), (2,)), ("MAP<INT, INT>", {1: 2}, {1: 3})]
)
def test_keys_of_nested_types_are_found(mode: str, type_: str, key: Any, other: Any) -> None:
    row_type = RowType.of([("k", parse_logical_type(type_))], nullable=False)
    provider: Any = lookup_provider(mode, from_python_rows([(other,), (key,)], row_type), row_type, (0,), None)
    keys = from_python_rows([(key,)], row_type)
    if mode == "batch":
        result = provider.create_lookup_function().lookup_batch(keys)
    else:
        result = asyncio.run(provider.create_async_lookup_function().async_lookup_batch(keys))
    assert pa.record_batch(result).column(0).to_pylist() == [0]
