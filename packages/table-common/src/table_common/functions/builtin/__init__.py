"""The registry of built-in functions and operators: names, argument types and result types.

One file per family; engines implement a family in a file of the same name.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType

from table_common.exceptions import TableInternalError
from table_common.functions.builtin import (
    aggregates,
    arithmetic,
    bitmap,
    collections,
    comparison,
    conditional,
    conversion,
    hash,  # a family of functions, not the builtin
    json,
    logic,
    math,
    strings,
    temporal,
    variant,
    windows,
)
from table_common.functions.definition import BuiltInFunctionDefinition

__all__ = [
    "BUILT_INS",
    "BUILT_INS_BY_NAME",
    "FAMILIES",
    "NILADIC",
    "aggregates",
    "arithmetic",
    "bitmap",
    "collections",
    "comparison",
    "conditional",
    "conversion",
    "definitions_of",
    "hash",
    "json",
    "logic",
    "lookup_built_in",
    "math",
    "strings",
    "temporal",
    "variant",
    "windows",
]

FAMILIES: tuple[ModuleType, ...] = (
    comparison,
    logic,
    arithmetic,
    conditional,
    conversion,
    math,
    strings,
    hash,
    json,
    variant,
    temporal,
    collections,
    bitmap,
    aggregates,
    windows,
)
"""The modules of the registry, in the order of the reference."""


def definitions_of(family: ModuleType) -> list[BuiltInFunctionDefinition]:
    """Returns the definitions of a module of the registry."""
    return [value for value in vars(family).values() if isinstance(value, BuiltInFunctionDefinition)]


def _index(definitions: tuple[BuiltInFunctionDefinition, ...], *, aliases: bool) -> Mapping[str, BuiltInFunctionDefinition]:
    index: dict[str, BuiltInFunctionDefinition] = {}
    for definition in definitions:
        for name in (definition.name, *(definition.aliases if aliases else ())):
            if index.setdefault(name, definition) is not definition:
                raise TableInternalError(f"Two built-in functions have the name {name}.")
    return MappingProxyType(index)


BUILT_INS: tuple[BuiltInFunctionDefinition, ...] = tuple(definition for family in FAMILIES for definition in definitions_of(family))
"""Every definition, family by family."""
BUILT_INS_BY_NAME: Mapping[str, BuiltInFunctionDefinition] = _index(BUILT_INS, aliases=False)
"""Every definition by its own name, operators too."""
_CALLABLE = _index(tuple(definition for definition in BUILT_INS if not definition.is_operator), aliases=True)

NILADIC: frozenset[str] = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "PI"})
"""The functions that SQL also calls without parentheses."""


def lookup_built_in(sql_name: str) -> BuiltInFunctionDefinition | None:
    """Returns the function that SQL calls by this name or alias, in any case; None if there is none. Operators cannot be called."""
    return _CALLABLE.get(sql_name.upper())


def _restored(name: str) -> BuiltInFunctionDefinition:
    return BUILT_INS_BY_NAME[name]


def _reduced(definition: BuiltInFunctionDefinition) -> tuple[Callable[[str], BuiltInFunctionDefinition], tuple[str]]:
    return _restored, (definition.name,)


# Definitions are compared by identity, so an unpickled one must be the one in the registry, which their class does not know.
copyreg.pickle(BuiltInFunctionDefinition, _reduced)
