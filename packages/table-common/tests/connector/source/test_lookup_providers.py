from __future__ import annotations

from collections.abc import Sequence

from table_common.connector import (
    AsyncLookupFunction,
    AsyncLookupFunctionProvider,
    DefaultLookupCache,
    LookupFunction,
    LookupFunctionProvider,
    PartialCachingLookupProvider,
)
from table_common.data import RowData


class Letters(LookupFunction):
    opened = 0

    def lookup(self, key_row: RowData) -> Sequence[RowData]:
        return [key_row]


class Later(AsyncLookupFunction):
    async def async_lookup(self, key_row: RowData) -> Sequence[RowData]:
        return [key_row]


def test_each_task_gets_its_own_function() -> None:
    function = Letters()
    provider = LookupFunctionProvider(function)
    first, second = provider.create_lookup_function(), provider.create_lookup_function()
    assert len({id(function), id(first), id(second)}) == 3
    first.opened = 1
    assert second.opened == 0


def test_each_task_gets_its_own_asynchronous_function() -> None:
    provider = AsyncLookupFunctionProvider(Later())
    assert provider.create_async_lookup_function() is not provider.create_async_lookup_function()


def test_each_task_gets_an_empty_cache() -> None:
    cache = DefaultLookupCache()
    provider = PartialCachingLookupProvider(Letters(), cache=cache)
    assert provider.create_cache() is not cache


def test_a_provider_without_a_cache_creates_none() -> None:
    assert PartialCachingLookupProvider(Letters()).create_cache() is None


def test_a_lookup_is_not_retried_by_default() -> None:
    assert LookupFunctionProvider(Letters()).max_retries == 0
