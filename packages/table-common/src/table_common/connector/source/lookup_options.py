"""The options that lookup connectors share."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOptions


class LookupOptions:
    """Flink's option keys; a connector lists those that it supports among its own.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.LookupOptions``.

    Example:
        >>> from table_common.configuration import ReadableConfig
        >>> ReadableConfig({"lookup.cache": "PARTIAL"}).get(LookupOptions.CACHE_TYPE)
        'PARTIAL'
    """

    CACHE_TYPE = (
        ConfigOptions.key("lookup.cache")
        .enum_type("NONE", "PARTIAL", "FULL")
        .default_value("NONE")
        .with_description("The kind of lookup cache: none, the rows of requested keys, or the whole table.")
    )
    MAX_RETRIES = (
        ConfigOptions.key("lookup.max-retries")
        .int_type()
        .default_value(3)
        .with_description("The maximum number of retries of a failed lookup.")
    )
    PARTIAL_CACHE_EXPIRE_AFTER_ACCESS = (
        ConfigOptions.key("lookup.partial-cache.expire-after-access")
        .duration_type()
        .no_default_value()
        .with_description("The time after the last access at which a cached key expires.")
    )
    PARTIAL_CACHE_EXPIRE_AFTER_WRITE = (
        ConfigOptions.key("lookup.partial-cache.expire-after-write")
        .duration_type()
        .no_default_value()
        .with_description("The time after the lookup at which a cached key expires.")
    )
    PARTIAL_CACHE_CACHE_MISSING_KEY = (
        ConfigOptions.key("lookup.partial-cache.cache-missing-key")
        .boolean_type()
        .default_value(True)
        .with_description("Whether keys without rows are cached.")
    )
    PARTIAL_CACHE_MAX_ROWS = (
        ConfigOptions.key("lookup.partial-cache.max-rows")
        .int_type()
        .no_default_value()
        .with_description("The maximum number of cached rows; the least recently used are evicted.")
    )
    FULL_CACHE_RELOAD_STRATEGY = (
        ConfigOptions.key("lookup.full-cache.reload-strategy")
        .enum_type("PERIODIC", "TIMED")
        .default_value("PERIODIC")
        .with_description("Whether the whole table is reloaded at intervals or at a time of day.")
    )
    FULL_CACHE_PERIODIC_RELOAD_INTERVAL = (
        ConfigOptions.key("lookup.full-cache.periodic-reload.interval")
        .duration_type()
        .no_default_value()
        .with_description("The interval at which the whole table is reloaded.")
    )
    FULL_CACHE_TIMED_RELOAD_ISO_TIME = (
        ConfigOptions.key("lookup.full-cache.timed-reload.iso-time")
        .string_type()
        .no_default_value()
        .with_description("The time of day, in UTC if it has no offset, at which the whole table is reloaded: '10:15' or '10:15+07:00'.")
    )
    FULL_CACHE_TIMED_RELOAD_INTERVAL_IN_DAYS = (
        ConfigOptions.key("lookup.full-cache.timed-reload.interval-in-days")
        .int_type()
        .default_value(1)
        .with_description("The interval in days at which the whole table is reloaded.")
    )
    PARTIAL_CACHE = (
        PARTIAL_CACHE_EXPIRE_AFTER_ACCESS,
        PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
        PARTIAL_CACHE_CACHE_MISSING_KEY,
        PARTIAL_CACHE_MAX_ROWS,
    )
    """All options of partial caches."""
    FULL_CACHE = (
        FULL_CACHE_RELOAD_STRATEGY,
        FULL_CACHE_PERIODIC_RELOAD_INTERVAL,
        FULL_CACHE_TIMED_RELOAD_ISO_TIME,
        FULL_CACHE_TIMED_RELOAD_INTERVAL_IN_DAYS,
    )
    """All options of full caches."""
    ALL = (CACHE_TYPE, MAX_RETRIES, *PARTIAL_CACHE, *FULL_CACHE)
    """What ``LookupSettings`` reads."""

    RETRY_DELAY = timedelta(milliseconds=500)
    """The delay before the first retry of a failed lookup; it doubles with each retry."""
