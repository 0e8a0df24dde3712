"""The loaded modules of a session, and the order in which names are looked up in them (FLIP-68)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING

from table_common.configuration import ReadableConfig
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.module import CoreModule, Module, ModuleFactory
from table_common.object_names import check_no_nul
from table_common.restrictions import current_restrictions

if TYPE_CHECKING:
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
    from table_common.types import DataType, LogicalType

_CORE = "core"
_TYPE = "type"


class ModuleEntry:
    """A loaded module: its name, and whether names are looked up in it.

    Example:
        >>> env.list_full_modules()
        [ModuleEntry(name='core', used=True)]
        >>> env.list_full_modules()[0].name()
        'core'

    Source: Flink's ``org.apache.flink.table.module.ModuleEntry``.
    """

    __slots__ = ("_name", "_used")

    def __init__(self, name: str, used: bool) -> None:
        self._name = name
        self._used = used

    def name(self) -> str:
        """Returns the name under which the module was loaded."""
        return self._name

    def used(self) -> bool:
        """Returns whether names are looked up in the module."""
        return self._used

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModuleEntry) and (self._name, self._used) == (other._name, other._used)

    def __hash__(self) -> int:
        return hash((self._name, self._used))

    def __repr__(self) -> str:
        return f"ModuleEntry(name={self._name!r}, used={self._used})"


class ModuleManager:
    """The loaded modules of a session, initially ``core``; safe to use from several threads.

    A name is looked up in the used modules in order; the first match wins. Definitions are loaded at their lookup, not with the module.

    Source: Flink's ``org.apache.flink.table.module.ModuleManager``.
    """

    def __init__(self, configuration: ReadableConfig | None = None, planner: Callable[[], object] | None = None) -> None:
        """``configuration`` and ``planner`` (returns the session's planner) are passed to the factories of modules."""
        self._configuration = configuration or ReadableConfig()
        self._planner = planner
        self._modules: dict[str, Module] = {_CORE: CoreModule()}
        self._used: tuple[str, ...] = (_CORE,)
        self._lock = RLock()

    # --- loading -----------------------------------------------------------------------------------------------------------------

    def load_module(self, name: str, module: Module | None = None, options: Mapping[str, str] | None = None) -> None:
        """Loads a module, as the last one in lookup order.

        Args:
            name: the name of the module in this session.
            module: the module; None creates it with the factory that the option ``type`` names, by default ``name``.
            options: the options of the factory, and ``type``.

        Raises:
            ValidationException: a module of that name is loaded, the factory does not exist, or it does not accept the options.
        """
        with self._lock:
            if not name:
                raise ValidationException("The name of a module is empty.")
            check_no_nul(name, "the name of a module")
            if name in self._modules:
                raise ValidationException(f"Module '{name}' is loaded already.", hint=f"UNLOAD MODULE {name}")
            self._modules[name] = self._make(name, options or {}) if module is None else _checked(name, module)
            self._used = (*self._used, name)

    def load_modules(self, section: Sequence[Mapping[str, object]] | None) -> None:
        """Replaces the loaded modules by those of the section ``modules`` of a YAML file, atomically.

        Args:
            section: the modules in lookup order, each with ``name``, ``type`` (default: the name) and the options of its factory. None
                changes nothing.

        Raises:
            ValidationException: the section is invalid, or a module cannot be created; the loaded modules are not changed.
        """
        if section is None:
            return
        from table_api.catalog.module_section import read_module_section  # few sessions configure modules

        entries = read_module_section(section)
        with self._lock:
            self._modules = {name: self._make(name, options) for name, options in entries.items()}
            self._used = tuple(self._modules)

    # Differs from Flink: LOAD MODULE takes the option 'type' (as FLIP-68 says), so that one type can be loaded under two names.
    def _make(self, name: str, options: Mapping[str, str]) -> Module:
        kind = options.get(_TYPE, name)
        rest = {key: value for key, value in options.items() if key != _TYPE}
        current_restrictions().check_options(rest, f"module '{name}'")
        factory = ModuleFactory.discover(kind)
        return _checked(name, factory.create_module(ModuleFactory.Context(rest, self._configuration, self._planner)))

    def unload_module(self, name: str) -> None:
        """Unloads a module; the remaining ones keep their order.

        Raises:
            ValidationException: it is not loaded.
        """
        with self._lock:
            self._check_loaded(name)
            del self._modules[name]
            self._used = tuple(used for used in self._used if used != name)

    def use_modules(self, *names: str) -> None:
        """Sets the used modules and their lookup order; other modules stay loaded, but unused.

        Raises:
            ValidationException: a name occurs twice or is not loaded.
        """
        with self._lock:
            for name in names:
                self._check_loaded(name)
                if names.count(name) > 1:
                    raise ValidationException(f"Module '{name}' occurs twice.")
            self._used = names

    def list_modules(self) -> list[str]:
        """Returns the names of the used modules, in lookup order."""
        return list(self._used)

    def list_full_modules(self) -> list[ModuleEntry]:
        """Returns all loaded modules: the used ones in lookup order, then the unused ones."""
        with self._lock:
            unused = [ModuleEntry(name, False) for name in self._modules if name not in self._used]
            return [ModuleEntry(name, True) for name in self._used] + unused

    # --- lookup ------------------------------------------------------------------------------------------------------------------

    def list_functions(self, include_hidden: bool = False) -> set[str]:
        """Returns the names of functions of all used modules, in lower case."""
        return {name for module in self._used_modules() for name in module.list_functions(include_hidden)}

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function from the first used module that lists it, or None; names are case-insensitive."""
        key = name.lower()
        for module in self._used_modules():
            definition = module.get_function_definition(name) if key in module.list_functions(True) else None
            if definition is not None:
                return definition
        return None

    def has_function(self, name: str) -> bool:
        """Returns whether a used module lists a function of this name, without loading its definition."""
        return any(name.lower() in module.list_functions(True) for module in self._used_modules())

    def module_with(self, function_name: str) -> tuple[str, bool] | None:
        """Returns an unused module that has this function, and whether it is loaded; ``core`` is searched even if it is not loaded."""
        key = function_name.lower()
        with self._lock:
            unused = {name: module for name, module in self._modules.items() if name not in self._used}
        for name, module in unused.items():
            if key in module.list_functions():
                return name, True
        if _CORE not in self._modules and key in CoreModule().list_functions():
            return _CORE, False
        return None

    def list_types(self) -> set[str]:
        """Returns the names of types of all used modules, in lower case."""
        return {name for module in self._used_modules() for name in module.list_types()}

    def get_type(self, name: str) -> DataType | None:
        """Returns the type from the first used module that lists it, or None; names are case-insensitive."""
        key = name.lower()
        for module in self._used_modules():
            data_type = module.get_type(name) if key in module.list_types() else None
            if data_type is not None:
                return data_type
        return None

    def find_logical_type(self, name: str) -> LogicalType | None:
        """Returns the logical type of this name, or None; the parser of types uses it for names that it does not know."""
        data_type = self.get_type(name)
        return None if data_type is None else data_type.logical_type

    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns the source factory of a connector from the first used module that has it, or None."""
        return next((f for m in self._used_modules() if (f := m.get_table_source_factory(identifier)) is not None), None)

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns the sink factory of a connector from the first used module that has it, or None."""
        return next((f for m in self._used_modules() if (f := m.get_table_sink_factory(identifier)) is not None), None)

    def _used_modules(self) -> list[Module]:
        with self._lock:
            return [self._modules[name] for name in self._used]

    def _check_loaded(self, name: str) -> None:
        if name not in self._modules:
            raise ValidationException.unknown("Module", name, self._modules, where="the loaded modules")


def _checked(name: str, module: object) -> Module:
    if not isinstance(module, Module):
        raise ValidationException(
            f"Module '{name}' must be an instance of table_common.module.Module, but got {type(module).__name__}.",
            hint="an instance, not the class" if isinstance(module, type) else None,
        )
    return module
