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

__all__ = [
    "AsyncLookupFunctionProvider",
    "FullCachingLookupProvider",
    "LookupFunctionProvider",
    "PartialCachingAsyncLookupProvider",
    "PartialCachingLookupProvider",
]


@dataclass(frozen=True, eq=False)
class LookupFunctionProvider(LookupTableSource.LookupRuntimeProvider):
    """A function that looks up and waits. What it raises is retried ``max_retries`` times, ``retry_delay`` later and twice as much each time."""

    function: LookupFunction
    max_retries: int = 0
    retry_delay: timedelta = LookupOptions.RETRY_DELAY

    def create_lookup_function(self) -> LookupFunction:
        """Returns a function for one task, not open yet."""
        return deepcopy(self.function)


@dataclass(frozen=True, eq=False)
class AsyncLookupFunctionProvider(LookupTableSource.LookupRuntimeProvider):
    """A function that looks up without blocking."""

    function: AsyncLookupFunction
    max_retries: int = 0
    retry_delay: timedelta = LookupOptions.RETRY_DELAY

    def create_async_lookup_function(self) -> AsyncLookupFunction:
        """Returns a function for one task, not open yet."""
        return deepcopy(self.function)


@dataclass(frozen=True, eq=False)
class PartialCachingLookupProvider(LookupFunctionProvider):
    """A function whose results are kept by key."""

    cache: LookupCache | None = None

    def create_cache(self) -> LookupCache | None:
        """Returns a cache for one task, not open yet."""
        return deepcopy(self.cache)


@dataclass(frozen=True, eq=False)
class PartialCachingAsyncLookupProvider(AsyncLookupFunctionProvider):
    """An asynchronous function whose results are kept by key."""

    cache: LookupCache | None = None

    def create_cache(self) -> LookupCache | None:
        """Returns a cache for one task, not open yet."""
        return deepcopy(self.cache)


@dataclass(frozen=True, eq=False)
class FullCachingLookupProvider(LookupTableSource.LookupRuntimeProvider):
    """The whole table, read once per task through a scan and again when the trigger says so; None: once."""

    scan_provider: ScanTableSource.ScanRuntimeProvider
    reload_trigger: CacheReloadTrigger | None = None
