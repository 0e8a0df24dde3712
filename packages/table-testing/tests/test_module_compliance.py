"""The compliance suite of modules finds errors: each one that is planted in a correct module makes the test fail that is about it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import pytest
from shelf_module import ShelfModule, ShelfModuleFactory

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings
from table_common.module import Module, ModuleFactory
from table_common.types import DataType, DataTypes
from table_testing import ModuleCompliance


class _UpperCase(ShelfModule):
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {name.upper() for name in super().list_functions(include_hidden)}


class _OwnSet(ShelfModule):
    def __init__(self) -> None:
        self._names = set(self.functions)

    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return self._names


class _Hidden(ShelfModule):
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {*self.hidden} if include_hidden else {*self.functions}


class _Undefined(ShelfModule):
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {*super().list_functions(include_hidden), "shelf_lower"}


class _KeyError(ShelfModule):
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return {**self.functions, **self.hidden}[name.lower()]


class _AnyName(ShelfModule):
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return super().get_function_definition(name) or strings.UPPER


class _Case(ShelfModule):
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return self.functions.get(name)


class _New(ShelfModule):
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        found: Any = super().get_function_definition(name)
        return found and type(found).__new__(type(found))


class _AnyType(ShelfModule):
    def get_type(self, name: str) -> DataType | None:
        return DataTypes.CHAR(4)


class _TypeCase(ShelfModule):
    def get_type(self, name: str) -> DataType | None:
        return DataTypes.CHAR(4) if name == "shelf_mark" else None


class _BuiltInType(ShelfModule):
    def list_types(self) -> AbstractSet[str]:
        return {"bigint"}

    def get_type(self, name: str) -> DataType | None:
        return DataTypes.CHAR(4) if name.lower() == "bigint" else None


class _AnyConnector(ShelfModule):
    def get_table_source_factory(self, identifier: str) -> Any:
        return object()


class _NoConnector(ShelfModule):
    def get_table_source_factory(self, identifier: str) -> Any:
        return "a factory" if identifier == "shelf" else None


BUGS: dict[str, tuple[type[ShelfModule], str]] = {
    "names are in upper case": (_UpperCase, "functions_are_in_lower_case"),
    "the set of names is the module's own": (_OwnSet, "lists_that_are_returned"),
    "only hidden functions are listed if they are asked for": (_Hidden, "hidden_functions"),
    "a function is listed, but not defined": (_Undefined, "all_functions_that_are_listed"),
    "an unknown function is a KeyError": (_KeyError, "unknown_functions_are_none"),
    "an unknown function is another one": (_AnyName, "unknown_functions_are_none"),
    "functions are found in lower case only": (_Case, "functions_are_found_in_any_case"),
    "a function has a new definition each time": (_New, "a_function_has_one_definition"),
    "all names are types": (_AnyType, "unknown_types_are_none"),
    "types are found in lower case only": (_TypeCase, "types_are_found_in_any_case"),
    "a type has the name of a built-in one": (_BuiltInType, "names_of_types_are_not_taken"),
    "all connectors are the module's": (_AnyConnector, "unknown_connectors_are_none"),
    "a connector has no factory": (_NoConnector, "connectors_are_found"),
}
"""Error → the module that has it, and a part of the name of the test that is about it."""


class _Careless(ShelfModuleFactory):
    def create_module(self, context: ModuleFactory.Context) -> Module:
        return ShelfModule()


def failing_tests(made: type[ShelfModule], part: str = "", factory: type[ModuleFactory] = ShelfModuleFactory) -> list[str]:
    """Returns the tests that fail, among those with the part in their names."""

    class Suite(ModuleCompliance):
        connectors = ("shelf",) if made is _NoConnector else ()

        def create_module(self) -> Module:
            return made()

    Suite.factory = factory
    failed = []
    for name in dir(Suite):
        if name.startswith("test_") and part in name:
            try:
                getattr(Suite(), name)()
            except Exception:
                failed.append(name)
    return failed


def test_no_test_fails_for_the_correct_module() -> None:
    assert failing_tests(ShelfModule) == []


@pytest.mark.parametrize("title", BUGS)
def test_the_test_that_is_about_an_error_finds_it(title: str) -> None:
    made, part = BUGS[title]
    assert failing_tests(made, part) != [], f"no test finds that {title}"


def test_a_factory_that_accepts_any_option_is_detected() -> None:
    assert failing_tests(ShelfModule, "factory_refuses_unknown_options", _Careless) != []
