"""All families of built-in functions, and all definitions."""

from __future__ import annotations

from types import ModuleType

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
from table_common.functions.builtin.lookup import definitions_of
from table_common.functions.definition import BuiltInFunctionDefinition

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
BUILT_INS: tuple[BuiltInFunctionDefinition, ...] = tuple(definition for family in FAMILIES for definition in definitions_of(family))
"""Every definition, family by family."""
