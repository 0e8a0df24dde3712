"""Hive's built-in functions as a module (FLIP-68)."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import validate_options
from table_common.functions import EngineFunction, FunctionDefinition
from table_common.module import Module, ModuleFactory
from table_runtime.modules.hive.registry import OWN, VERSIONS, hive_built_ins

_DEFAULT_VERSION = "2.3.10"
HIVE_VERSION: ConfigOption[str] = (
    ConfigOptions.key("hive-version")
    .string_type()
    .default_value(_DEFAULT_VERSION)
    .with_description("The version of Hive whose functions the module has, such as 2.3.10 or 3.1.3.")
)
_VERSION = re.compile(r"(\d+\.\d+)(\.\d+)*")
_NOT_DETERMINISTIC = frozenset(
    {"rand", "uuid", "reflect", "reflect2", "java_method", "current_date", "current_timestamp", "unix_timestamp"}
)


class HiveModule(Module):
    """The functions of one version of Hive.

    On Spark they are Hive's own classes, which PySpark ships. The embedded engine runs those with an equivalent built-in function, and
    refuses the others with a reason.

    Source: Flink's ``org.apache.flink.table.module.hive.HiveModule``.

    Example:
        >>> module = HiveModule("2.3.10")
        >>> "ucase" in module.list_functions()
        True
    """

    def __init__(self, hive_version: str = _DEFAULT_VERSION) -> None:
        """Creates the module of a version of Hive, such as ``2.3.10``.

        Raises:
            ValidationException: the functions of that version are not known.
        """
        match = _VERSION.fullmatch(hive_version)
        if match is None or match[1] not in VERSIONS:
            raise ValidationException(
                f"The functions of Hive '{hive_version}' are not known. Known are the versions {', '.join(f'{v}.x' for v in VERSIONS)}.",
                hint="'hive-version' = '2.3.10'",
            )
        self.hive_version = hive_version
        self._line = match[1]
        self._definitions: dict[str, FunctionDefinition] = {}

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {*OWN, *(name for name, function in hive_built_ins().items() if function.is_in(self._line))}

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        found = self._definitions.get(name.lower())
        if found is None:
            found = self._define(name.lower())
            if found is not None:
                # One definition per name, because plans compare definitions by identity.
                found = self._definitions.setdefault(name.lower(), found)
        return found

    def _define(self, name: str) -> FunctionDefinition | None:
        from table_common.functions.builtin import BUILT_INS_BY_NAME
        from table_runtime.modules.hive.equivalents import ALWAYS_EQUIVALENT, EQUIVALENTS, SUBSTITUTES, UNRUNNABLE

        if name in OWN:
            return BUILT_INS_BY_NAME[OWN[name]]
        function = hive_built_ins().get(name)
        if function is None or not function.is_in(self._line):
            return None
        equivalent = EQUIVALENTS.get(name)
        return EngineFunction(
            name.upper(),
            function.kind,
            system="hive",
            implementation="" if name in UNRUNNABLE or name in ALWAYS_EQUIVALENT else function.class_name,
            equivalent=None if equivalent is None else BUILT_INS_BY_NAME[equivalent],
            substitute=SUBSTITUTES.get(name),
            deterministic=name not in _NOT_DETERMINISTIC,
            remark=UNRUNNABLE.get(name),
        )


class HiveModuleFactory(ModuleFactory):
    """Creates the module ``hive``; its option is ``hive-version``.

    Source: Flink's ``org.apache.flink.table.module.hive.HiveModuleFactory``.

    Example:
        >>> HiveModuleFactory().create_module(ModuleFactory.Context({"hive-version": "2.3.10"})).hive_version
        '2.3.10'
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "hive"

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[str], ...]:
        return (HIVE_VERSION,)

    @override
    def create_module(self, context: ModuleFactory.Context) -> HiveModule:
        config = validate_options(context.options, (), self.optional_options, "module 'hive'")
        return HiveModule(config.get(HIVE_VERSION))
