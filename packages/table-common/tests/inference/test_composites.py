from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.inference import composites
from table_common.inference.call_context import CallContext

Context = Callable[..., CallContext]
Literal = Callable[[object, str], object]
ROW = "ROW<id INT NOT NULL, name STRING>"


def test_a_row_names_its_fields_by_position_and_is_not_null(context: Context) -> None:
    assert str(composites.row_of()(context("INT", "STRING"))) == "ROW<`EXPR$0` INT, `EXPR$1` STRING> NOT NULL"


@pytest.mark.parametrize(("field", "type_text"), [("id", "CHAR(2) NOT NULL"), (0, "INT NOT NULL")])
def test_a_field_is_found_by_name_and_position_and_nullable_if_the_row_is(
    context: Context, literal: Literal, field: object, type_text: str
) -> None:
    assert str(composites.field_of()(context(ROW, literal(field, type_text)))) == "INT"
    assert str(composites.field_of()(context(f"{ROW} NOT NULL", literal(field, type_text)))) == "INT NOT NULL"


def test_an_unknown_field_suggests_a_close_name(context: Context, literal: Literal) -> None:
    with pytest.raises(ValidationException, match="has no field 'nam'") as caught:
        composites.field_access().infer(context(ROW, literal("nam", "CHAR(3) NOT NULL")))
    assert caught.value.hint == "Did you mean 'name'?"


def test_an_object_gets_each_field_once(context: Context, literal: Literal) -> None:
    name, key = literal("c.Point", "CHAR(7) NOT NULL"), literal("x", "CHAR(1) NOT NULL")
    assert str(composites.object_of()(context(name, key, "INT"))).startswith("STRUCTURED<'c.Point', `x` INT>")
    with pytest.raises(ValidationException, match="is given the field 'x' twice"):
        composites.object_fields(updates=False).infer(context(name, key, "INT", key, "INT"))
