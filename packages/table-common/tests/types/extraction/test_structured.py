from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import ScalarFunction, as_user_function
from table_common.types.extraction import extract_type

HERE = __name__


def function_of(annotation: Any) -> ScalarFunction:
    def same(self: ScalarFunction, value: Any) -> Any:
        return value

    same.__annotations__ = {"value": annotation, "return": annotation}
    return type("Same", (ScalarFunction,), {"eval": same})()


def parameter(annotation: Any) -> str:
    return str(as_user_function(function_of(annotation)).signatures[0].parameters[0].extracted.type)


class PublicField:
    field: int


class GetterAndSetter:
    def __init__(self) -> None:
        self._field = 0

    @property
    def field(self) -> int:
        return self._field

    @field.setter
    def field(self, field: int) -> None:
        self._field = field


class Immutable:
    def __init__(self, field: int) -> None:
        self._field = field

    @property
    def field(self) -> int:
        return self._field


@pytest.mark.parametrize("class_", [PublicField, GetterAndSetter, Immutable])
def test_flip_65_test_pojo_is_made_of_its_field(class_: type) -> None:
    (found,) = extract_type(class_, "x").classes
    assert found.factory()([5]).field == 5


class Ordered:
    b: int
    a: str

    def __init__(self, a: str, b: int) -> None:
        self.a, self.b = a, b


class Parent:
    z: int


class Child(Parent):
    a: int


class Pair(NamedTuple):
    a: int
    b: str


ORDERS: dict[str, tuple[type, list[str]]] = {
    "constructor": (Ordered, ["a", "b"]),
    "declaration, bases first": (Child, ["z", "a"]),
    "NamedTuple": (Pair, ["a", "b"]),
}


@pytest.mark.parametrize("row", ORDERS)
def test_flip_65_field_order_is_deterministic(row: str) -> None:
    class_, names = ORDERS[row]
    assert [name for name, _ in extract_type(class_, "x").classes[0].fields] == names


class NotAssigned:
    field: int

    def __init__(self, other: str) -> None: ...


def test_flip_65_constructor_that_does_not_assign_all_fields_is_refused() -> None:
    with pytest.raises(ValidationException, match="its constructor does not take field"):
        parameter(NotAssigned)


@dataclass
class Recursive:
    inner: Recursive | None


def test_flip_65_class_that_contains_itself_is_refused() -> None:
    with pytest.raises(ValidationException, match="contains itself, which no SQL type does: Recursive → Recursive"):
        parameter(Recursive)


@dataclass
class Nested:
    pair: Pair
    pairs: list[Pair]
    named: dict[str, Ordered]


def test_flip_65_case_classes_inside_of_pojos_are_structured_too() -> None:
    pair = f"STRUCTURED<'{HERE}.Pair', `a` BIGINT, `b` STRING>"
    ordered = f"STRUCTURED<'{HERE}.Ordered', `a` STRING, `b` BIGINT>"
    assert parameter(Nested) == f"STRUCTURED<'{HERE}.Nested', `pair` {pair}, `pairs` ARRAY<{pair}>, `named` MAP<STRING, {ordered}>>"
