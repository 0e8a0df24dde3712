from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.inference import text
from table_common.inference.argument_types import any_type
from table_common.inference.call_context import CallContext
from table_common.inference.input_strategies import sig

Context = Callable[..., CallContext]
Literal = Callable[[object, str], object]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("CHAR(2) NOT NULL", "CHAR(3) NOT NULL"), "CHAR(5) NOT NULL"),
        (("CHAR(2)", "VARCHAR(3)"), "VARCHAR(5)"),
        (("STRING", "CHAR(3)"), "STRING"),
    ],
)
def test_joined_text_is_as_long_as_its_parts(context: Context, given: tuple[str, str], expected: str) -> None:
    assert str(text.joined_lengths(0, 1)(context(*given))) == expected


def test_a_constant_pattern_is_checked_when_the_call_is_typed(context: Context, literal: Literal) -> None:
    strategy = sig(any_type(), text.pattern_text(is_similar=True))
    assert strategy.infer(context("STRING", literal("a%", "CHAR(2) NOT NULL"))) is not None
    with pytest.raises(ValidationException, match="'\\[' is not closed"):
        strategy.infer(context("STRING", literal("[a", "CHAR(2) NOT NULL")))


def test_an_escape_has_one_character(context: Context, literal: Literal) -> None:
    strategy = sig(any_type(), text.pattern_text(is_similar=False), text.escape_character(is_similar=False))
    pattern = literal("a%", "CHAR(2) NOT NULL")
    assert strategy.infer(context("STRING", pattern, literal("!", "CHAR(1) NOT NULL"))) is not None
    with pytest.raises(ValidationException, match="ESCAPE takes one character"):
        strategy.infer(context("STRING", pattern, literal("!!", "CHAR(2) NOT NULL")))
