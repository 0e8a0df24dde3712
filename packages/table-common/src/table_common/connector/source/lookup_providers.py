"""The runtime providers of lookups that planners know."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta

from table_common.connector.source.dynamic import ScanTableSource
from table_common.connector.source.lookup import LookupTableSource
from table_common.connector.source.lookup_cache import LookupCache
from table_common.connector.source.lookup_function import AsyncLookupFunction, LookupFunction
from table_common.connector.source.lookup_options import LookupOptions
from table_common.connector.source.lookup_reload import CacheReloadTrigger
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class LookupFunctionProvider(LookupTableSource.LookupRuntimeProvider):
    """A blocking lookup function. A failed lookup is retried up to ``max_retries`` times, after ``retry_delay``, which doubles with each retry.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.LookupFunctionProvider``.

    Example:
        >>> class Names(LookupFunction):
        ...     def lookup(self, key_row):
        ...         return [key_row]
        >>> LookupFunctionProvider(Names(), max_retries=3).max_retries
        3
    """

    function: LookupFunction
    max_retries: int = 0
    retry_delay: timedelta = LookupOptions.RETRY_DELAY

    def create_lookup_function(self) -> LookupFunction:
        """Returns a function for one task, not open yet."""
        return deepcopy(self.function)


@dataclass(frozen=True, eq=False)
class AsyncLookupFunctionProvider(LookupTableSource.LookupRuntimeProvider):
    """An asynchronous lookup function.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider``.

    Example:
        >>> class Echo(AsyncLookupFunction):
        ...     async def async_lookup(self, key_row):
        ...         return [key_row]
        >>> AsyncLookupFunctionProvider(Echo(), max_retries=3).create_async_lookup_function().is_batched
        False
    """

    function: AsyncLookupFunction
    max_retries: int = 0
    retry_delay: timedelta = LookupOptions.RETRY_DELAY

    def create_async_lookup_function(self) -> AsyncLookupFunction:
        """Returns a function for one task, not open yet."""
        return deepcopy(self.function)


@dataclass(frozen=True, eq=False)
class PartialCachingLookupProvider(LookupFunctionProvider):
    """A lookup function whose results are cached by key.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider``.

    Example:
        >>> from table_common.connector import DefaultLookupCache
        >>> class Echo(LookupFunction):
        ...     def lookup(self, key_row):
        ...         return [key_row]
        >>> PartialCachingLookupProvider(Echo(), cache=DefaultLookupCache(maximum_size=10_000)).create_cache().size
        0
    """

    cache: LookupCache | None = None

    def create_cache(self) -> LookupCache | None:
        """Returns a cache for one task, not open yet."""
        return deepcopy(self.cache)


@dataclass(frozen=True, eq=False)
class PartialCachingAsyncLookupProvider(AsyncLookupFunctionProvider):
    """An asynchronous lookup function whose results are cached by key.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider``.

    Example:
        >>> from table_common.connector import DefaultLookupCache
        >>> class Echo(AsyncLookupFunction):
        ...     async def async_lookup(self, key_row):
        ...         return [key_row]
        >>> PartialCachingAsyncLookupProvider(Echo(), cache=DefaultLookupCache(maximum_size=10_000)).create_cache().size
        0
    """

    cache: LookupCache | None = None

    def create_cache(self) -> LookupCache | None:
        """Returns a cache for one task, not open yet."""
        return deepcopy(self.cache)


@dataclass(frozen=True, eq=False)
class FullCachingLookupProvider(LookupTableSource.LookupRuntimeProvider):
    """The whole table, scanned and cached once per task, and again when the reload trigger fires; without a trigger, once.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.FullCachingLookupProvider``.

    Example:
        >>> from datetime import timedelta
        >>> from table_common.connector import FileScanProvider, PeriodicCacheReloadTrigger
        >>> from table_common.types import parse_logical_type
        >>> row_type = parse_logical_type("ROW<id INT> NOT NULL")
        >>> scan = FileScanProvider(("/data/rates",), "csv", row_type, row_type)
        >>> FullCachingLookupProvider(scan, PeriodicCacheReloadTrigger(timedelta(hours=1))).scan_provider.format
        'csv'
    """

    scan_provider: ScanTableSource.ScanRuntimeProvider
    reload_trigger: CacheReloadTrigger | None = None
