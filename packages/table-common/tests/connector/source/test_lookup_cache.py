from __future__ import annotations

import pickle
from dataclasses import dataclass
from datetime import timedelta

import pytest

from table_common.connector import DefaultLookupCache
from table_common.exceptions import ValidationException


@dataclass(frozen=True)
class Rows:
    """Stands for a record batch: a cache asks for nothing but the number of rows."""

    num_rows: int


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_key_is_found_with_its_rows() -> None:
    cache = DefaultLookupCache()
    cache.put((1,), Rows(2))
    assert cache.get_if_present((1,)) == Rows(2)
    assert cache.get_if_present((2,)) is None


def test_what_was_not_used_for_longest_is_forgotten_first() -> None:
    cache = DefaultLookupCache(maximum_size=3)
    for key in (1, 2, 3):
        cache.put((key,), Rows(1))
    cache.get_if_present((1,))
    cache.put((4,), Rows(1))
    assert [cache.get_if_present((key,)) is not None for key in (1, 2, 3, 4)] == [True, False, True, True]


def test_the_limit_counts_rows() -> None:
    cache = DefaultLookupCache(maximum_size=3)
    cache.put((1,), Rows(2))
    cache.put((2,), Rows(2))
    assert cache.size == 1


def test_a_key_is_forgotten_some_time_after_it_was_written() -> None:
    clock = Clock()
    cache = DefaultLookupCache(expire_after_write=timedelta(seconds=10), clock=clock)
    cache.put((1,), Rows(1))
    clock.now = 9
    assert cache.get_if_present((1,)) is not None
    clock.now = 10
    assert cache.get_if_present((1,)) is None
    assert cache.size == 0


def test_a_key_that_is_used_does_not_expire_after_access() -> None:
    clock = Clock()
    cache = DefaultLookupCache(expire_after_access=timedelta(seconds=10), clock=clock)
    cache.put((1,), Rows(1))
    for now in (9, 18, 27):
        clock.now = now
        assert cache.get_if_present((1,)) is not None
    clock.now = 37
    assert cache.get_if_present((1,)) is None


def test_keys_without_rows_are_cached_by_default() -> None:
    kept, dropped = DefaultLookupCache(), DefaultLookupCache(cache_missing_key=False)
    for cache in (kept, dropped):
        cache.put((1,), Rows(0))
    assert kept.get_if_present((1,)) == Rows(0)
    assert dropped.get_if_present((1,)) is None


def test_a_cache_travels_without_what_it_holds() -> None:
    cache = DefaultLookupCache(maximum_size=1)
    cache.put((1,), Rows(1))
    copied = pickle.loads(pickle.dumps(cache))
    assert copied.size == 0
    copied.put((1,), Rows(1))
    copied.put((2,), Rows(1))
    assert copied.size == 1


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValidationException, match="1 row or more"):
        DefaultLookupCache(maximum_size=0)


def test_options_make_a_cache() -> None:
    cache = DefaultLookupCache.from_options({"lookup.partial-cache.max-rows": "1", "lookup.partial-cache.cache-missing-key": "false"})
    cache.put((1,), Rows(0))
    cache.put((2,), Rows(1))
    cache.put((3,), Rows(1))
    assert cache.size == 1
