"""Factories of formats: the options that they accept, and how they are found."""

from __future__ import annotations

import pytest
from typing_extensions import override

from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import DeserializationFormatFactory, FileFormatFactory, FormatFactory, SerializationFormatFactory

BASE: ConfigOption[int] = ConfigOptions.key("base").int_type().default_value(10)


class NumbersFactory(FormatFactory):
    @property
    @override
    def factory_identifier(self) -> str:
        return "numbers"

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[int], ...]:
        return (BASE,)


def test_options_that_the_format_declares_are_accepted() -> None:
    NumbersFactory().validate({"base": "2"})


@pytest.mark.parametrize(
    ("options", "message"),
    [({"bass": "2"}, r"format 'numbers' are not valid: unknown: 'bass' \(did you mean 'base'"), ({"base": "two"}, "'base' takes")],
)
def test_an_unknown_option_or_value_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        NumbersFactory().validate(options)


@pytest.mark.parametrize("kind", [FormatFactory, DeserializationFormatFactory, SerializationFormatFactory, FileFormatFactory])
def test_all_kinds_of_formats_share_one_entry_point_group(kind: type[FormatFactory]) -> None:
    assert (kind.GROUP, kind.KIND, kind.has_lines) == ("table.formats", "format", True)
