"""The options of lookups become settings, and settings a provider."""

from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.connector import (
    AsyncLookupFunction,
    AsyncLookupFunctionProvider,
    LookupFunction,
    LookupFunctionProvider,
    LookupSettings,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
)


@pytest.mark.parametrize(
    ("cache", "function", "provider"),
    [
        ("NONE", LookupFunction(), LookupFunctionProvider),
        ("PARTIAL", LookupFunction(), PartialCachingLookupProvider),
        ("NONE", AsyncLookupFunction(), AsyncLookupFunctionProvider),
        ("PARTIAL", AsyncLookupFunction(), PartialCachingAsyncLookupProvider),
    ],
)
def test_the_provider_fits_the_function_and_the_cache(cache: str, function: LookupFunction | AsyncLookupFunction, provider: type) -> None:
    settings = LookupSettings.from_options({"lookup.cache": cache, "lookup.max-retries": "7"}, timedelta(seconds=2))
    found = settings.provider(function)
    assert type(found) is provider
    assert isinstance(found, (LookupFunctionProvider, AsyncLookupFunctionProvider))
    assert (found.function, found.max_retries, found.retry_delay) == (function, 7, timedelta(seconds=2))


def test_a_full_cache_can_have_a_reload_trigger() -> None:
    options = {"lookup.cache": "full", "lookup.full-cache.periodic-reload.interval": "1 h"}
    settings = LookupSettings.from_options(options)
    assert settings.caches_all
    assert settings.cache is None
    assert settings.reload_trigger is not None
    assert LookupSettings.from_options({"lookup.full-cache.periodic-reload.interval": "1 h"}).reload_trigger is None
