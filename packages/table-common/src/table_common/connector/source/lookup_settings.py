"""The settings of lookups that the options of a table describe."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from table_common.configuration import ReadableConfig
from table_common.connector.source.lookup import LookupTableSource
from table_common.connector.source.lookup_cache import DefaultLookupCache, LookupCache
from table_common.connector.source.lookup_function import AsyncLookupFunction, LookupFunction
from table_common.connector.source.lookup_options import LookupOptions
from table_common.connector.source.lookup_providers import (
    AsyncLookupFunctionProvider,
    LookupFunctionProvider,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
)
from table_common.connector.source.lookup_reload import CacheReloadTrigger
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True)
class LookupSettings:
    """Retries and caches of lookups: ``caches_all`` caches the whole table, ``cache`` the rows of used keys.

    Example:
        >>> settings = LookupSettings.from_options({"lookup.cache": "PARTIAL", "lookup.max-retries": "5"})
        >>> settings.max_retries, settings.cache is None, settings.caches_all
        (5, False, False)
    """

    max_retries: int = 3
    cache: LookupCache | None = None
    caches_all: bool = False
    reload_trigger: CacheReloadTrigger | None = None
    retry_delay: timedelta = LookupOptions.RETRY_DELAY

    @classmethod
    def from_options(cls, options: Mapping[str, str], retry_delay: timedelta = LookupOptions.RETRY_DELAY) -> LookupSettings:
        """Returns the settings that a table's options ``LookupOptions.ALL`` describe.

        Raises:
            ValidationException: an option has an invalid value, or a cache with timed reloads has no time of day.
        """
        config = ReadableConfig(options)
        kind = config.get(LookupOptions.CACHE_TYPE)
        return cls(
            config.get(LookupOptions.MAX_RETRIES),
            DefaultLookupCache.from_options(options) if kind == "PARTIAL" else None,
            kind == "FULL",
            CacheReloadTrigger.from_options(options) if kind == "FULL" else None,
            retry_delay,
        )

    def provider(self, function: LookupFunction | AsyncLookupFunction) -> LookupTableSource.LookupRuntimeProvider:
        """Returns the provider of a function, with a cache of the rows of used keys if there is to be one."""
        retries, delay = self.max_retries, self.retry_delay
        if isinstance(function, LookupFunction):
            if self.cache is None:
                return LookupFunctionProvider(function, retries, delay)
            return PartialCachingLookupProvider(function, retries, delay, self.cache)
        if self.cache is None:
            return AsyncLookupFunctionProvider(function, retries, delay)
        return PartialCachingAsyncLookupProvider(function, retries, delay, self.cache)
