from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import temporal

FAMILY = temporal


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_functions_that_read_the_clock_are_not_deterministic() -> None:
    assert not temporal.CURRENT_TIMESTAMP.is_deterministic
    assert temporal.EXTRACT.is_deterministic
