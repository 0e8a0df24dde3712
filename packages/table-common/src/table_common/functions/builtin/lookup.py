"""Definitions by name: the family of a function is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from table_common.annotation import override
from table_common.functions.builtin.names import CALLABLE, OPERATORS
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition

NILADIC: frozenset[str] = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "PI"})
"""The functions that SQL also calls without parentheses."""
_CALLABLE = {name: family for family, names in CALLABLE.items() for name in names.split()}
_OPERATORS = {name: family for family, names in OPERATORS.items() for name in names.split()}


def definitions_of(family: ModuleType) -> list[BuiltInFunctionDefinition]:
    """Returns the definitions of a module of the registry."""
    return [value for value in vars(family).values() if isinstance(value, BuiltInFunctionDefinition)]


def lookup_built_in(sql_name: str) -> BuiltInFunctionDefinition | None:
    """Returns the function that SQL calls by this name or alias, in any case; None if there is none. Operators cannot be called."""
    name = sql_name.upper()
    family = _CALLABLE.get(name)
    return None if family is None else _by_name(family)[name]


def family_of(function: FunctionDefinition) -> str | None:
    """Returns the name of the module of the registry that declares a function; None if none does."""
    family = _OPERATORS.get(function.name) or _CALLABLE.get(function.name)
    return family if family is not None and _by_name(family).get(function.name) is function else None


@cache
def _by_name(family: str) -> dict[str, BuiltInFunctionDefinition]:
    definitions = definitions_of(import_module(f"{__package__}.{family}"))
    return {name: definition for definition in definitions for name in (definition.name, *definition.aliases)}


class _Definitions(Mapping[str, BuiltInFunctionDefinition]):
    """Every definition by its own name, operators too."""

    @override
    def __getitem__(self, name: str) -> BuiltInFunctionDefinition:
        definition = _by_name(_OPERATORS.get(name) or _CALLABLE[name])[name]
        if definition.name != name:  # an alias
            raise KeyError(name)
        return definition

    @override
    def __iter__(self) -> Iterator[str]:
        return (name for name in (*_OPERATORS, *_CALLABLE) if name in self)

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


BUILT_INS_BY_NAME: Mapping[str, BuiltInFunctionDefinition] = _Definitions()
"""Every definition by its own name, operators too."""
