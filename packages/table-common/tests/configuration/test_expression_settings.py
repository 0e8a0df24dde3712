from __future__ import annotations

import pytest

from table_common.configuration import SESSION_OPTIONS, Configuration
from table_common.configuration.expression_settings import expression_settings

CHANGED = {
    "table.local-time-zone": ("Asia/Tokyo", "Asia/Tokyo"),
    "table.exec.legacy-cast-behaviour": ("enabled", "ENABLED"),
    "python.functions.truncate-fractions": ("TRUE", "true"),
}


def test_defaults_are_not_among_them() -> None:
    assert expression_settings(Configuration({"table.local-time-zone": "GMT+8", "table.exec.legacy-cast-behaviour": "DISABLED"})) == {
        "table.local-time-zone": "+08:00"
    }


@pytest.mark.parametrize("key", sorted({option.key for option in SESSION_OPTIONS.values() if option.changes_expressions}))
def test_each_option_that_changes_expressions_is_among_them(key: str) -> None:
    text, value = CHANGED[key]
    assert expression_settings(Configuration({"table.local-time-zone": "UTC", key: text}))[key] == value
