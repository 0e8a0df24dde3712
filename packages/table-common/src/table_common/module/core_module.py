"""The built-in registry as the module named ``core``."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from table_common.annotation import override
from table_common.factories import validate_options
from table_common.functions import FunctionDefinition
from table_common.module.module import Module
from table_common.module.module_factory import ModuleFactory


class CoreModule(Module):
    """All built-in functions; the registry is loaded when it is first used, not when the session begins.

    Source: Flink's ``org.apache.flink.table.module.CoreModule``.

    Example:
        >>> CoreModule().get_function_definition("upper").name
        'UPPER'
    """

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return _names(include_hidden)

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        from table_common.functions.builtin import lookup_built_in

        return lookup_built_in(name)


@cache
def _names(include_hidden: bool) -> frozenset[str]:
    from table_common.functions.builtin import CALLABLE, OPERATORS

    families = [*CALLABLE.values(), *(OPERATORS.values() if include_hidden else ())]
    return frozenset(name.lower() for names in families for name in names.split())


class CoreModuleFactory(ModuleFactory):
    """Creates the module ``core``, which takes no options.

    Example:
        >>> CoreModuleFactory().create_module(ModuleFactory.Context()).get_function_definition("upper").name
        'UPPER'

    Source: Flink's ``org.apache.flink.table.module.CoreModuleFactory``.
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "core"

    @override
    def create_module(self, context: ModuleFactory.Context) -> CoreModule:
        validate_options(context.options, (), (), "module 'core'")
        return CoreModule()
