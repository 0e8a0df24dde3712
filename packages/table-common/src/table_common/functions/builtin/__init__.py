"""The registry of built-in functions and operators: names, argument types and result types.

One file per family; engines implement a family in a file of the same name.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable

from table_common.functions.definition import BuiltInFunctionDefinition
from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .: aggregates arithmetic bitmap collections comparison conditional conversion hash json logic math strings temporal variant windows
    .lookup: BUILT_INS_BY_NAME NILADIC definitions_of family_of lookup_built_in
    .names: CALLABLE OPERATORS
    .registry: BUILT_INS FAMILIES
    """,
)


def _restored(name: str) -> BuiltInFunctionDefinition:
    from table_common.functions.builtin.lookup import BUILT_INS_BY_NAME

    return BUILT_INS_BY_NAME[name]


def _reduced(definition: BuiltInFunctionDefinition) -> tuple[Callable[[str], BuiltInFunctionDefinition], tuple[str]]:
    return _restored, (definition.name,)


# Definitions are compared by identity, so an unpickled one must be the one in the registry, which their class does not know.
copyreg.pickle(BuiltInFunctionDefinition, _reduced)
