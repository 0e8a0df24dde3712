from __future__ import annotations

import pytest

from table_common.configuration import ConfigOptions, Configuration, ReadableConfig
from table_common.exceptions import ValidationException

LIMIT = ConfigOptions.key("limit").int_type().default_value(5).with_fallback_keys("max").with_deprecated_keys("most")
NAME = ConfigOptions.key("name").string_type().no_default_value()


def test_an_option_that_is_not_set_has_its_default_or_none() -> None:
    config = ReadableConfig()
    assert (config.get(LIMIT), config.get(NAME)) == (5, None)


def test_get_optional_ignores_the_default() -> None:
    assert ReadableConfig().get_optional(LIMIT) is None
    assert ReadableConfig({"limit": "7"}).get_optional(LIMIT) == 7


def test_fallback_and_deprecated_keys_are_read_in_order_after_the_own_key() -> None:
    assert ReadableConfig({"most": "1"}).get(LIMIT) == 1
    assert ReadableConfig({"most": "1", "max": "2"}).get(LIMIT) == 2
    assert ReadableConfig({"most": "1", "max": "2", "limit": "3"}).get(LIMIT) == 3


def test_a_plain_key_returns_text_or_the_default() -> None:
    config = ReadableConfig({"limit": "7"})
    assert (config.get("limit"), config.get("other"), config.get("other", "x")) == ("7", None, "x")


def test_setting_a_value_that_the_option_cannot_parse_is_refused() -> None:
    config = Configuration()
    with pytest.raises(ValidationException, match="Option 'limit' takes an integer"):
        config.set(LIMIT, "many")
    assert "limit" not in config


def test_values_of_python_become_text() -> None:
    config = Configuration().set(LIMIT, 7).set("flag", True)
    assert config.to_map() == {"limit": "7", "flag": "true"}


def test_remove_returns_whether_the_option_was_set() -> None:
    config = Configuration().set(LIMIT, 7)
    assert config.remove("limit")
    assert not config.remove("limit")


def test_a_copy_is_independent() -> None:
    config = Configuration().set("a", "1")
    copy = config.copy()
    copy.set("a", "2")
    assert (config.get("a"), copy.get("a")) == ("1", "2")


def test_the_map_of_options_is_a_copy() -> None:
    config = Configuration().set("a", "1")
    config.to_map()["a"] = "2"
    assert config.get("a") == "1"


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in repr(Configuration().set("password", "hunter2"))


def test_add_all_overwrites_and_clear_removes_everything() -> None:
    config = Configuration().set("a", "1").add_all(Configuration().set("a", "2").set("b", "3"))
    assert config.to_map() == {"a": "2", "b": "3"}
    config.clear()
    assert list(config) == []
