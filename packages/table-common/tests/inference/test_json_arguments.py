from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import TypeLiteralExpression
from table_common.inference import json_arguments
from table_common.inference.call_context import CallContext
from table_common.inference.input_strategies import sig
from table_common.types import CharacterType, IntType, VarCharType, parse_logical_type

Context = Callable[..., CallContext]
Literal = Callable[[object, str], object]


@pytest.mark.parametrize(("given", "fits"), [("INT", True), ("ARRAY<STRING>", True), ("DATE", False), ("INTERVAL DAY", False)])
def test_values_with_a_json_form_are_serializable(context: Context, given: str, fits: bool) -> None:
    assert (sig(json_arguments.json_serializable()).infer(context(given)) is not None) is fits


def test_a_key_is_a_constant_text(context: Context, literal: Literal) -> None:
    assert sig(json_arguments.json_key()).infer(context(literal("k", "CHAR(1) NOT NULL"))) is not None
    assert sig(json_arguments.json_key()).infer(context("STRING")) is None


def test_returning_accepts_the_listed_types_only(context: Context) -> None:
    strategy = sig(json_arguments.returning(IntType, VarCharType))
    assert strategy.infer(context(TypeLiteralExpression(IntType()))) is not None
    with pytest.raises(ValidationException, match="cannot return DATE: RETURNING takes"):
        strategy.infer(context(TypeLiteralExpression(parse_logical_type("DATE"))))


def test_the_error_names_texts_as_string(context: Context) -> None:
    strategy = sig(json_arguments.returning(CharacterType, arrays_of=(CharacterType,)))
    with pytest.raises(ValidationException, match=r"RETURNING takes STRING, ARRAY<STRING>\."):
        strategy.infer(context(TypeLiteralExpression(parse_logical_type("ARRAY<INT>"))))


def test_a_json_value_is_nullable_and_text_without_returning(context: Context, literal: Literal) -> None:
    path = literal("$", "CHAR(1) NOT NULL")
    assert str(json_arguments.json_value_type()(context("STRING NOT NULL", path))) == "STRING"
    assert str(json_arguments.json_value_type()(context("STRING", path, TypeLiteralExpression(IntType(nullable=False))))) == "INT"
