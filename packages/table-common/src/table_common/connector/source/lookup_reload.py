"""Reload triggers of full lookup caches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector.source.lookup_options import LookupOptions
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass


class CacheReloadTrigger(ABC):
    """Decides when a full cache is reloaded; evaluated between two batches.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.cache.trigger.CacheReloadTrigger``.

    Example:
        >>> trigger = CacheReloadTrigger.from_options({"lookup.full-cache.periodic-reload.interval": "1 h"})
        >>> trigger.interval
        datetime.timedelta(seconds=3600)
    """

    @abstractmethod
    def next_reload(self, loaded_at: datetime) -> datetime:
        """Returns the time at which a cache that was loaded at ``loaded_at`` (in UTC) must be reloaded."""

    @staticmethod
    def from_options(options: Mapping[str, str]) -> CacheReloadTrigger | None:
        """Returns the trigger that a table's options ``lookup.full-cache.*`` describe; None: the table is read once per job.

        Raises:
            ValidationException: an option has an invalid value, or the strategy TIMED has no time of day.
        """
        config = ReadableConfig(options)
        if config.get(LookupOptions.FULL_CACHE_RELOAD_STRATEGY) == "PERIODIC":
            interval = config.get_optional(LookupOptions.FULL_CACHE_PERIODIC_RELOAD_INTERVAL)
            return PeriodicCacheReloadTrigger(interval) if interval is not None else None
        text = config.get_optional(LookupOptions.FULL_CACHE_TIMED_RELOAD_ISO_TIME)
        key = LookupOptions.FULL_CACHE_TIMED_RELOAD_ISO_TIME.key
        if text is None:
            raise ValidationException(f"A full cache with timed reloads needs the option '{key}'.", hint="'10:15'")
        try:
            at = time.fromisoformat(text)
        except ValueError as error:
            raise ValidationException(f"Option '{key}' takes a time such as '10:15' or '10:15+07:00', but got '{text}'.") from error
        return TimedCacheReloadTrigger(at, config.get(LookupOptions.FULL_CACHE_TIMED_RELOAD_INTERVAL_IN_DAYS))


@dataclass(frozen=True, slots=True)
class PeriodicCacheReloadTrigger(CacheReloadTrigger):
    """Reloads after an interval.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.cache.trigger.PeriodicCacheReloadTrigger``.

    Example:
        >>> from datetime import datetime, timedelta
        >>> PeriodicCacheReloadTrigger(timedelta(hours=1)).next_reload(datetime(2026, 1, 1))
        datetime.datetime(2026, 1, 1, 1, 0)
    """

    interval: timedelta

    @override
    def next_reload(self, loaded_at: datetime) -> datetime:
        return loaded_at + self.interval


@dataclass(frozen=True, slots=True)
class TimedCacheReloadTrigger(CacheReloadTrigger):
    """Reloads at a time of day, every ``interval_in_days`` days; a time without an offset is in UTC.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.cache.trigger.TimedCacheReloadTrigger``.

    Example:
        >>> from datetime import UTC, datetime, time
        >>> TimedCacheReloadTrigger(time(10, 15)).next_reload(datetime(2026, 1, 1, 12, tzinfo=UTC)).isoformat()
        '2026-01-02T10:15:00+00:00'
    """

    at: time
    interval_in_days: int = 1

    @override
    def next_reload(self, loaded_at: datetime) -> datetime:
        zone = self.at.tzinfo or UTC
        local = loaded_at.astimezone(zone)
        following = datetime.combine(local.date(), self.at.replace(tzinfo=zone))
        if following <= local:
            following += timedelta(days=self.interval_in_days)
        return following.astimezone(UTC)
