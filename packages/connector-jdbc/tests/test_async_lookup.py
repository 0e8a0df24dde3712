"""Lookups over several connections."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from typing import Any

import pyarrow as pa
import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from connector_jdbc.async_lookup import JdbcAsyncLookupFunction
from connector_jdbc.lookup import JdbcLookupFunction
from table_common.connector import (
    AsyncLookupFunctionProvider,
    DefaultLookupCache,
    LookupTableSource,
    PartialCachingAsyncLookupProvider,
    SupportsArrowArray,
)
from table_common.exceptions import TableError
from table_common.functions import FunctionContext
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"


def provider_of(table: str, **more: str) -> Any:
    options = {"url": server_url(), "table-name": table, "lookup.async": "true", **more}
    source: Any = Case().source(options)
    return source.get_lookup_runtime_provider(LookupTableSource.LookupContext(((0,),)))


def keys_of(*ids: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(ids, pa.int32())], names=["id"])


def looked_up(function: Any, batches: list[pa.RecordBatch]) -> list[list[dict[str, Any]]]:
    async def run_all() -> list[list[dict[str, Any]]]:
        await function.open(FunctionContext())
        try:
            return [found.to_pylist() for found in await asyncio.gather(*map(function.async_lookup_batch, batches))]
        finally:
            await function.close()

    return asyncio.run(run_all())


def test_batches_of_keys_are_looked_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table("id int4, name text", [(number, f"n{number}") for number in range(20)])
    both = threading.Barrier(2, timeout=20)
    original = JdbcLookupFunction.lookup_batch

    def meet(self: JdbcLookupFunction, keys: SupportsArrowArray) -> SupportsArrowArray:
        both.wait()  # fails if no other batch is under way
        return original(self, keys)

    monkeypatch.setattr(JdbcLookupFunction, "lookup_batch", meet)
    provider = pickle.loads(pickle.dumps(provider_of(table)))
    assert isinstance(provider, AsyncLookupFunctionProvider)
    found = looked_up(provider.create_async_lookup_function(), [keys_of(number, 99, number + 10) for number in range(8)])
    expected = [{"key": key, "id": number, "name": f"n{number}"} for key, number in ((0, 3), (2, 13))]
    assert sorted(found[3], key=lambda row: row["key"]) == expected


def test_a_failed_lookup_does_not_disturb_the_others() -> None:
    table = new_table("id int4, name text", [(1, "one")])
    function = provider_of(table).create_async_lookup_function()
    assert isinstance(function, JdbcAsyncLookupFunction)
    run(f"ALTER TABLE {table} RENAME name TO other")
    with pytest.raises(TableError, match='column "name" does not exist'):
        looked_up(copy.deepcopy(function), [keys_of(1)])
    run(f"ALTER TABLE {table} RENAME other TO name")
    assert looked_up(function, [keys_of(1), keys_of(2)]) == [[{"key": 0, "id": 1, "name": "one"}], []]


def test_rows_of_asynchronous_lookups_are_cached() -> None:
    provider = provider_of(new_table("id int4, name text"), **{"lookup.cache": "PARTIAL", "lookup.partial-cache.max-rows": "10"})
    assert isinstance(provider, PartialCachingAsyncLookupProvider)
    assert isinstance(provider.create_cache(), DefaultLookupCache)
