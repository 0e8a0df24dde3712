"""Names of ``pyflink.table.module``."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from table_common.annotation import override
from table_common.functions import FunctionDefinition
from table_common.module import Module, ModuleFactory


class HiveModule(Module):
    """The functions of one version of Hive: the module that the installed factory ``hive`` creates, as LOAD MODULE does.

    Source: Flink's ``org.apache.flink.table.module.hive.HiveModule``.

    Example:
        >>> "ucase" in HiveModule("2.3.10").list_functions()
        True
    """

    def __init__(self, hive_version: str | None = None) -> None:
        """Creates the module of a version of Hive, such as ``2.3.10``, which is the default.

        Raises:
            ValidationException: the functions of that version are not known, or no distribution with the module is installed.
        """
        options = {} if hive_version is None else {"hive-version": hive_version}
        self._module: Module = ModuleFactory.discover("hive").create_module(ModuleFactory.Context(options))

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return self._module.list_functions(include_hidden)

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return self._module.get_function_definition(name)
