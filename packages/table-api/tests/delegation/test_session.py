"""The session and its lookups implement the interfaces that the layers below use."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import Any

import pytest

from table_api.catalog import CatalogManager, FunctionCatalog, ModuleManager
from table_api.delegation.session import FoundView, FunctionLookup, ModuleLookup, Session, TableLookup
from table_api.execution.session import TableSession
from table_common.catalog import ObjectIdentifier

IMPLEMENTATIONS = [(Session, TableSession), (TableLookup, CatalogManager), (FunctionLookup, FunctionCatalog), (ModuleLookup, ModuleManager)]


def members(interface: type) -> list[str]:
    return [
        name for name, member in vars(interface).items() if not name.startswith("_") and (callable(member) or isinstance(member, property))
    ]


@pytest.mark.parametrize(("interface", "implementation", "name"), [(i, c, name) for i, c in IMPLEMENTATIONS for name in members(i)])
def test_each_member_has_the_parameters_of_the_interface(interface: type, implementation: type, name: str) -> None:
    expected: Any = getattr(interface, name)
    actual: Any = inspect.getattr_static(implementation, name)
    assert isinstance(actual, property | cached_property) is isinstance(expected, property)
    if not isinstance(expected, property):
        parameters = list(inspect.signature(expected).parameters)
        assert list(inspect.signature(actual).parameters)[: len(parameters)] == parameters


def test_a_view_without_options_has_none_of_another_view() -> None:
    first, second = (FoundView(ObjectIdentifier("c", "d", name), is_temporary=False) for name in "ab")
    assert first.options == {}
    assert first.options is not second.options
