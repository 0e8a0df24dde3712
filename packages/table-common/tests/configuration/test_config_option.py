from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException

KEY = ConfigOptions.key("k")


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (KEY.string_type().no_default_value(), " x ", " x "),
        (KEY.int_type().no_default_value(), "12", 12),
        (KEY.float_type().no_default_value(), "1.5", 1.5),
        (KEY.boolean_type().no_default_value(), "TRUE", True),
        (KEY.duration_type().no_default_value(), "PT3M", timedelta(minutes=3)),
        (KEY.memory_type().no_default_value(), "64 kb", 65536),
        (KEY.enum_type("on", "off").no_default_value(), "ON", "on"),
        (KEY.list_type("a", "b").no_default_value(), "b; A;", ("b", "a")),
    ],
)
def test_a_text_is_parsed_to_the_type(option: ConfigOption[object], text: str, value: object) -> None:
    assert option.parse(text) == value


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (KEY.int_type().no_default_value(), "x", "Option 'k' takes an integer, but got 'x'"),
        (KEY.boolean_type().no_default_value(), "yes", "takes true or false, but got 'yes'"),
        (KEY.enum_type("on", "off").no_default_value(), "up", "takes one of 'on', 'off', but got 'up'"),
        (KEY.list_type("on", "off").no_default_value(), "on;up", "takes a list, separated by semicolons"),
    ],
)
def test_a_text_of_another_type_is_refused_with_key_and_accepted_values(option: ConfigOption[object], text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        option.parse(text)


def test_the_value_of_a_secret_option_is_not_shown() -> None:
    with pytest.raises(ValidationException) as caught:
        ConfigOptions.key("password").int_type().no_default_value().parse("hunter2")
    assert "hunter2" not in str(caught.value)


def test_keys_are_ordered_own_fallback_deprecated() -> None:
    option = KEY.string_type().default_value("x").with_deprecated_keys("old").with_fallback_keys("other")
    assert option.all_keys == ("k", "other", "old")


def test_changes_return_a_copy_and_keep_the_default() -> None:
    option = KEY.int_type().default_value(3)
    described = option.with_description("text")
    assert (option.description, described.description, described.default) == ("", "text", 3)
