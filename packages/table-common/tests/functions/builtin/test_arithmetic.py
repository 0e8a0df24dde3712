from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import arithmetic, lookup_built_in

FAMILY = arithmetic


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_operators_are_rendered_with_their_signs() -> None:
    assert arithmetic.PLUS.render_sql(["a", "b"]) == "(a + b)"
    assert arithmetic.NEGATE.render_sql(["(- a)"]) == "(- (- a))"


def test_operators_cannot_be_called_by_name() -> None:
    assert lookup_built_in("PLUS") is None
