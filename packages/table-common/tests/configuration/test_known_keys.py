from __future__ import annotations

import pytest

from table_common.configuration import (
    KEYS_WITHOUT_EFFECT,
    OPTIONS_WITHOUT_EFFECT,
    REFUSED_VALUES,
    SESSION_OPTIONS,
    ConfigOptions,
    Configuration,
    why_without_effect,
)
from table_common.exceptions import ValidationException


def test_every_option_has_a_description() -> None:
    assert [key for key, option in SESSION_OPTIONS.items() if len(option.description.split()) < 4] == []


def test_a_key_has_one_status() -> None:
    assert set(SESSION_OPTIONS) & set(KEYS_WITHOUT_EFFECT) == OPTIONS_WITHOUT_EFFECT
    assert not set(REFUSED_VALUES) & {*SESSION_OPTIONS, *KEYS_WITHOUT_EFFECT}


@pytest.mark.parametrize("key", ["table.dml-sync", "parallelism.default", "spark.sql.shuffle.partitions", "sql-client.verbose"])
def test_nothing_is_said_of_a_key_that_is_honored(key: str) -> None:
    assert why_without_effect(key) is None


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "table.exec.async-scalar.timeout",
            "The option 'table.exec.async-scalar.timeout' has no effect: an asynchronous function declares",
        ),
        ("execution.checkpointing.unaligned.enabled", "has no effect: it configures a Flink cluster"),
        ("execution.runtime-mod", "is not known and has no effect; did you mean 'execution.runtime-mode'?"),
        ("my.own.key", "The option 'my.own.key' is not known and has no effect."),
    ],
)
def test_what_is_said_of_a_key_without_effect(key: str, message: str) -> None:
    assert message in (why_without_effect(key) or "")


def test_list_options_take_words_separated_by_semicolons() -> None:
    option = ConfigOptions.key("k").list_type("ONE", "TWO").default_value(())
    assert Configuration().set(option, ("ONE", "TWO")).get(option) == ("ONE", "TWO")
    assert option.parse("two; one") == ("TWO", "ONE")
    with pytest.raises(ValidationException, match="'ONE', 'TWO'"):
        option.parse("THREE")


def test_a_long_key_is_shown_in_part() -> None:
    said = why_without_effect("table." + "x" * 1_000_000)
    assert said is not None
    assert len(said) < 300
