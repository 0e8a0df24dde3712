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


def test_typed_values_are_read_as_they_were_set() -> None:
    config = Configuration().set_integer("i", 7).set_boolean("b", True).set_float("f", 0.5).set_bytearray("y", bytearray(b"ab"))
    assert (config.get_integer("i", 0), config.get_boolean("b", False), config.get_float("f", 0.0)) == (7, True, 0.5)
    assert config.get_bytearray("y", bytearray()) == bytearray(b"ab")


def test_typed_values_that_are_not_set_have_the_default() -> None:
    config = Configuration()
    assert (config.get_integer("i", 1), config.get_boolean("b", True), config.get_float("f", 2.5)) == (1, True, 2.5)
    assert config.get_bytearray("y", bytearray(b"z")) == bytearray(b"z")


def test_a_value_of_another_type_is_an_error() -> None:
    config = Configuration.from_dict({"i": "x", "y": "??"})
    with pytest.raises(ValidationException, match="'i' takes an integer, but got 'x'"):
        config.get_integer("i", 0)
    with pytest.raises(ValidationException, match="'y' takes bytes in Base64"):
        config.get_bytearray("y", bytearray())


def test_keys_can_be_listed_copied_and_removed() -> None:
    config = Configuration().add_all({"a": "1"}, "x.")
    target: dict[str, str] = {}
    config.add_all_to_dict(target)
    assert (config.key_set(), config.contains_key("x.a"), config.to_dict(), target) == ({"x.a"}, True, {"x.a": "1"}, {"x.a": "1"})
    assert Configuration.from_dict({"x.a": "1"}).to_map() == {"x.a": "1"}
    assert (config.remove_config("x.a"), config.remove_config("x.a")) == (True, False)


def test_a_configuration_is_made_of_another_one_as_its_copy() -> None:
    first = Configuration({"a": "1"})
    copy = Configuration(first).set("b", "2")
    assert (first.to_map(), copy.to_map()) == ({"a": "1"}, {"a": "1", "b": "2"})
