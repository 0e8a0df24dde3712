"""Caches of lookup results, also of keys without rows."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from datetime import timedelta
from typing import Any

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

Key = tuple[Hashable, ...]


class LookupCache(ABC):
    """Caches rows by key. Each task has its own cache, unpickled from the provider's, and calls it from one thread at a time.

    Keys are tuples of Python values. The cache uses only ``num_rows`` of the rows; 0 means that the key has
    no rows.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.cache.LookupCache``.

    Example:
        >>> class Nothing(LookupCache):
        ...     size = 0
        ...     def get_if_present(self, key):
        ...         return None
        ...     def put(self, key, rows):
        ...         pass
        ...     def invalidate(self, key):
        ...         pass
        >>> Nothing().get_if_present((7,)) is None
        True
    """

    def open(self) -> None:  # noqa: B027  # many caches have nothing to open
        """Prepares the cache; called once per task, before the first use."""

    def close(self) -> None:  # noqa: B027  # nor to close
        """Releases resources; called once, at the end of a task."""

    @abstractmethod
    def get_if_present(self, key: Key) -> Any | None:
        """Returns the cached rows of a key; None if the key is not cached or its entry has expired."""

    @abstractmethod
    def put(self, key: Key, rows: Any) -> None:
        """Caches the rows of a key, replacing earlier ones."""

    @abstractmethod
    def invalidate(self, key: Key) -> None:
        """Removes a key."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of cached keys."""


@dataclass(frozen=True, slots=True)
class _Limits:
    maximum_size: int | None
    expire_after_write: timedelta | None
    expire_after_access: timedelta | None
    cache_missing_key: bool


class DefaultLookupCache(LookupCache):
    """An in-memory cache with eviction of the least recently used key.

    Args:
        maximum_size: the maximal number of cached rows; a key without rows counts as one. None: no limit.
        expire_after_write: the lifetime of an entry after the lookup; None: no expiry.
        expire_after_access: the lifetime of an entry after its last use; None: no expiry.
        cache_missing_key: whether keys without rows are cached.
        clock: the time in seconds, for tests.

    Source: Flink's ``org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache``.

    Example:
        >>> import pyarrow
        >>> cache = DefaultLookupCache(maximum_size=100)
        >>> cache.put(("a",), pyarrow.record_batch({"id": [1, 2]}))
        >>> cache.get_if_present(("a",)).num_rows, cache.get_if_present(("b",))
        (2, None)

    Raises:
        ValidationException: ``maximum_size`` is less than 1.
    """

    def __init__(
        self,
        *,
        maximum_size: int | None = None,
        expire_after_write: timedelta | None = None,
        expire_after_access: timedelta | None = None,
        cache_missing_key: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if maximum_size is not None and maximum_size < 1:
            raise ValidationException(f"A lookup cache keeps 1 row or more, but 'maximum_size' is {maximum_size}.")
        self._limits = _Limits(maximum_size, expire_after_write, expire_after_access, cache_missing_key)
        self._clock = clock
        self._entries: OrderedDict[Key, tuple[Any, float, float]] = OrderedDict()
        self._rows = 0

    def __getstate__(self) -> dict[str, Any]:
        # Entries are not pickled: each task fills its own cache.
        return {"_limits": self._limits, "_clock": self._clock, "_entries": OrderedDict(), "_rows": 0}

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> DefaultLookupCache:
        """Returns the cache that a table's options ``lookup.partial-cache.*`` describe."""
        from table_common.configuration import ReadableConfig
        from table_common.connector.source.lookup_options import LookupOptions

        config = ReadableConfig(options)
        return cls(
            maximum_size=config.get_optional(LookupOptions.PARTIAL_CACHE_MAX_ROWS),
            expire_after_write=config.get_optional(LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE),
            expire_after_access=config.get_optional(LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS),
            cache_missing_key=config.get(LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY),
        )

    @override
    def get_if_present(self, key: Key) -> Any | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        rows, written, used = entry
        limits = self._limits
        if limits.expire_after_write is None and limits.expire_after_access is None:
            self._entries.move_to_end(key)
            return rows
        now = self._clock()
        if _is_over(limits.expire_after_write, written, now) or _is_over(limits.expire_after_access, used, now):
            self.invalidate(key)
            return None
        self._entries[key] = (rows, written, now)
        self._entries.move_to_end(key)
        return rows

    @override
    def put(self, key: Key, rows: Any) -> None:
        self.invalidate(key)
        if not rows.num_rows and not self._limits.cache_missing_key:
            return
        now = self._clock()
        self._entries[key] = (rows, now, now)
        self._rows += rows.num_rows or 1
        maximum = self._limits.maximum_size
        while maximum is not None and self._rows > maximum:
            _, (dropped, _, _) = self._entries.popitem(last=False)
            self._rows -= dropped.num_rows or 1

    @override
    def invalidate(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._rows -= entry[0].num_rows or 1

    @property
    @override
    def size(self) -> int:
        return len(self._entries)


def _is_over(limit: timedelta | None, since: float, now: float) -> bool:
    return limit is not None and now - since >= limit.total_seconds()
