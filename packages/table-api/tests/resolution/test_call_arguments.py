"""Arguments by name and by position."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Literal, NamedArgument
from table_api.resolution.call_arguments import constant_options, named_arguments
from table_common.exceptions import ValidationException
from table_common.types import IntType

ONE = Literal(1, IntType(nullable=False))


def given(*args: object) -> dict[str, object]:
    return dict(named_arguments("F", ("a", "b", "c"), 2, args, lambda span: None, "F(a, b[, c])"))  # type: ignore[arg-type]


def test_names_are_found_in_any_case_and_order() -> None:
    assert list(given(NamedArgument("B", ONE), NamedArgument("a", ONE))) == ["b", "a"]
    assert list(given(ONE, ONE)) == ["a", "b"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((ONE,), "F lacks the argument 'b'"),
        ((ONE, NamedArgument("b", ONE)), "either all named or all positional"),
        ((ONE, ONE, ONE, ONE), "F has at most 3 arguments, but got 4"),
        ((NamedArgument("a", ONE), NamedArgument("A", ONE)), "F got the argument 'a' twice"),
        ((NamedArgument("d", ONE),), "Argument 'd' does not exist in F"),
    ],
)
def test_what_is_wrong_is_said_with_the_signature(args: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        given(*args)


def test_options_are_constant_texts() -> None:
    assert constant_options("F", None, lambda span: None) == {}
    with pytest.raises(ValidationException, match="The argument 'config' of F must be a map of constant texts"):
        constant_options("F", ONE, lambda span: None)
