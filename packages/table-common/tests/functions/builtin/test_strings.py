from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import strings

FAMILY = strings


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_concatenation_keeps_lengths_and_concat_does_not(inferred: Callable[[str], tuple[str, str]]) -> None:
    assert inferred("CONCAT_OP(CHAR(2) NOT NULL | CHAR(3) NOT NULL) -> ")[0] == "CHAR(5) NOT NULL"
    assert inferred("CONCAT(CHAR(2) NOT NULL | CHAR(3) NOT NULL) -> ")[0] == "STRING NOT NULL"
