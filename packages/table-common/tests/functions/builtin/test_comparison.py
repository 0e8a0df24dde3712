from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import comparison

FAMILY = comparison


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_the_mirror_of_a_mirror_is_the_comparison() -> None:
    mirrored = comparison.MIRRORED
    assert mirrored[comparison.LESS_THAN_OR_EQUAL] is comparison.GREATER_THAN_OR_EQUAL
    assert {mirrored[mirrored[function]] for function in mirrored} == set(mirrored)
    assert all(mirrored[mirrored[function]] is function for function in mirrored)
