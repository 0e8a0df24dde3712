"""The module of Hive, under PyFlink's name, is what the installed factory creates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from table_api.pyflink_names.hive_module import HiveModule
from table_common.functions.builtin import strings
from table_common.module import Module, ModuleFactory


class Upper(Module):
    def list_functions(self, include_hidden: bool = False) -> set[str]:
        return {"ucase", "hidden"} if include_hidden else {"ucase"}

    def get_function_definition(self, name: str) -> Any:
        return strings.UPPER if name == "ucase" else None


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, str]]]:
    """The names and options of the modules that are created."""
    found: list[tuple[str, Mapping[str, str]]] = []

    def discover(identifier: str) -> Any:
        class Factory:
            def create_module(self, context: ModuleFactory.Context) -> Module:
                found.append((identifier, context.options))
                return Upper()

        return Factory()

    monkeypatch.setattr(ModuleFactory, "discover", discover)
    return found


def test_the_version_is_an_option_of_the_factory(requested: list[tuple[str, Mapping[str, str]]]) -> None:
    HiveModule()
    HiveModule("1.2.1")
    assert requested == [("hive", {}), ("hive", {"hive-version": "1.2.1"})]


@pytest.mark.usefixtures("requested")
def test_functions_are_those_of_the_created_module() -> None:
    module = HiveModule()
    assert (module.list_functions(), module.list_functions(include_hidden=True)) == ({"ucase"}, {"ucase", "hidden"})
    assert module.get_function_definition("ucase") is strings.UPPER
    assert module.get_function_definition("lcase") is None
