from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import math

FAMILY = math


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_random_numbers_are_not_deterministic() -> None:
    assert not math.RAND.is_deterministic
    assert math.SQRT.is_deterministic
