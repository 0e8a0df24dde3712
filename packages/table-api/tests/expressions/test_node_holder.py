"""Conversion of Python values to unresolved expressions, and names of windows."""

from __future__ import annotations

import pytest

from table_api.expressions import col, lit
from table_api.expressions.node_holder import built_in, call_of, name_of, to_unresolved
from table_api.expressions.unresolved import Call, Literal, Reference
from table_common.exceptions import ValidationException
from table_common.types import IntType, NullType

ONE = Literal(1, IntType(nullable=False))
NULL = Literal(None, NullType())


def test_an_expression_becomes_its_node() -> None:
    assert to_unresolved(col("a")) == Reference(("a",))


@pytest.mark.parametrize(
    ("value", "function", "arguments"),
    [([1, 1], "ARRAY", (ONE, ONE)), ((1,), "ROW", (ONE,)), ({1: col("a")}, "MAP", (ONE, Reference(("a",))))],
    ids=["list", "tuple", "dict"],
)
def test_a_collection_becomes_a_constructor(value: object, function: str, arguments: tuple[object, ...]) -> None:
    assert to_unresolved(value) == Call(built_in(function), arguments)  # type: ignore[arg-type]


def test_a_table_is_no_value() -> None:
    class TableLike:
        query_operation = None

    with pytest.raises(ValidationException, match="A Table cannot be an argument here"):
        to_unresolved(TableLike())


@pytest.mark.parametrize(("optional", "arguments"), [([None], ()), ([1, None], (ONE,)), ([None, 1], (NULL, ONE))], ids=str)
def test_a_call_omits_optional_arguments_of_none_at_the_end(optional: list[object], arguments: tuple[Literal, ...]) -> None:
    assert call_of("ELT", 1, optional=optional) == Call(built_in("ELT"), (ONE, *arguments))


def test_another_argument_of_none_is_null() -> None:
    assert call_of("ELT", 1, None, 1) == Call(built_in("ELT"), (ONE, NULL, ONE))


@pytest.mark.parametrize("alias", ["w", col("w")], ids=["text", "column"])
def test_a_window_is_named_by_text_or_by_a_column(alias: object) -> None:
    assert name_of(alias) == "w"


@pytest.mark.parametrize("alias", [lit(1), col("w") + 1], ids=["number", "sum"])
def test_another_expression_is_no_name(alias: object) -> None:
    with pytest.raises(ValidationException, match="The alias of a window is a name"):
        name_of(alias)
