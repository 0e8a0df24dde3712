from __future__ import annotations

import pytest

from table_common.configuration import ConfigOption
from table_common.configuration.session_options import SESSION_OPTIONS

OPTIONS = sorted({option.key: option for option in SESSION_OPTIONS.values()}.values(), key=lambda option: option.key)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_each_option_is_described_for_the_reference(option: ConfigOption[object]) -> None:
    assert option.description.endswith(".")


def test_each_option_is_found_by_each_of_its_keys() -> None:
    assert all(SESSION_OPTIONS[key] is option for option in OPTIONS for key in option.all_keys)


def test_keys_are_flinks_dotted_lower_case_words() -> None:
    assert [key for key in SESSION_OPTIONS if key != key.lower() or " " in key] == []


def test_a_default_is_a_value_that_its_option_parses() -> None:
    assert [
        option.key
        for option in OPTIONS
        if isinstance(option.default, (str, int, bool))
        and option.parse(str(option.default).lower() if isinstance(option.default, bool) else str(option.default)) != option.default
    ] == []
