from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOption
from table_common.connector import LookupOptions

OPTIONS = [value for value in vars(LookupOptions).values() if isinstance(value, ConfigOption)]


def test_every_key_begins_with_lookup() -> None:
    assert all(option.key.startswith("lookup.") for option in OPTIONS)


def test_the_groups_have_the_options_of_their_cache() -> None:
    assert {option.key.split(".")[1] for option in LookupOptions.PARTIAL_CACHE} == {"partial-cache"}
    assert {option.key.split(".")[1] for option in LookupOptions.FULL_CACHE} == {"full-cache"}


def test_every_option_is_described() -> None:
    assert [option.key for option in OPTIONS if not option.description] == []


def test_cache_lifetimes_are_durations() -> None:
    assert LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE.parse("10 min") == timedelta(minutes=10)
