"""Which modules are loaded, which are used, in which order (FLIP-68)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING

from table_api.catalog.module_section import read_module_section
from table_common.configuration import ReadableConfig
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.module import CoreModule, Module, ModuleFactory
from table_common.name_text import check_no_nul
from table_common.restrictions import current_restrictions

if TYPE_CHECKING:
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
    from table_common.types import DataType, LogicalType

__all__ = ["ModuleEntry", "ModuleManager"]

_CORE = "core"
_TYPE = "type"


@dataclass(frozen=True, slots=True)
class ModuleEntry:
    """A loaded module: its name, and whether its functions are found."""

    name: str
    used: bool


class ModuleManager:
    """The loaded modules of a session, which begins with ``core``; safe to use from several threads.

    What a module has is found in the order of use, and asked for when it is needed: loading and listing load no definition.
    """

    def __init__(self, configuration: ReadableConfig | None = None, planner: Callable[[], object] | None = None) -> None:
        """What the factories of modules are told: the session's options, and how its planner is reached."""
        self._configuration = configuration or ReadableConfig()
        self._planner = planner
        self._modules: dict[str, Module] = {_CORE: CoreModule()}
        self._used: tuple[str, ...] = (_CORE,)
        self._lock = RLock()

    # --- what is loaded ----------------------------------------------------------------------------------------------------------

    def load_module(self, name: str, module: Module | None = None, options: Mapping[str, str] | None = None) -> None:
        """Loads a module; it is used after those used already.

        Args:
            name: What it is called in this session.
            module: The module; else it is made by the factory that the option ``type`` names or, without it, the name.
            options: What the factory is told, and ``type``.

        Raises:
            ValidationException: a module of that name is loaded already, there is no such factory, or it refuses the options.
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
        """Loads what the section ``modules`` of a YAML file lists: exactly these, in this order, and nothing if there is no section.

        Each entry has a ``name``, a ``type`` (by default the name) and the options of its factory. All entries are made before anything
        changes. None, for a file without the section, leaves the modules as they are: ``core``.

        Raises:
            ValidationException: the section is no such list, or a module cannot be made; nothing has changed then.
        """
        if section is None:
            return
        entries = read_module_section(section)
        with self._lock:
            self._modules = {name: self._make(name, options) for name, options in entries.items()}
            self._used = tuple(self._modules)

    # Differs from Flink: the option 'type' may be given (FLIP-68 has it), so that one type can be loaded under two names.
    def _make(self, name: str, options: Mapping[str, str]) -> Module:
        kind = options.get(_TYPE, name)
        rest = {key: value for key, value in options.items() if key != _TYPE}
        current_restrictions().check_options(rest, f"module '{name}'")
        factory = ModuleFactory.discover(kind)
        return _checked(name, factory.create_module(ModuleFactory.Context(rest, self._configuration, self._planner)))

    def unload_module(self, name: str) -> None:
        """Takes a module away; the others keep their order.

        Raises:
            ValidationException: it is not loaded.
        """
        with self._lock:
            self._check_loaded(name)
            del self._modules[name]
            self._used = tuple(used for used in self._used if used != name)

    def use_modules(self, *names: str) -> None:
        """Uses these modules in this order; the others stay loaded, but are not asked.

        Raises:
            ValidationException: a name is given twice or is not loaded.
        """
        with self._lock:
            for name in names:
                self._check_loaded(name)
                if names.count(name) > 1:
                    raise ValidationException(f"Module '{name}' is given twice.")
            self._used = names

    def list_modules(self) -> list[str]:
        """Returns the names of the modules that are used, in their order."""
        return list(self._used)

    def list_full_modules(self) -> list[ModuleEntry]:
        """Returns all loaded modules: first those used, in their order, then the others."""
        with self._lock:
            unused = [ModuleEntry(name, False) for name in self._modules if name not in self._used]
            return [ModuleEntry(name, True) for name in self._used] + unused

    # --- what they have ----------------------------------------------------------------------------------------------------------

    def list_functions(self, include_hidden: bool = False) -> set[str]:
        """Returns the names of the functions of all used modules in lower case."""
        return {name for module in self._used_modules() for name in module.list_functions(include_hidden)}

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function of this name from the first used module that lists it, or None; the name is compared without case."""
        wanted = name.lower()
        for module in self._used_modules():
            found = module.get_function_definition(name) if wanted in module.list_functions(True) else None
            if found is not None:
                return found
        return None

    def has_function(self, name: str) -> bool:
        """Returns whether a used module lists a function of this name; loads no definition."""
        return any(name.lower() in module.list_functions(True) for module in self._used_modules())

    def module_with(self, function_name: str) -> tuple[str, bool] | None:
        """Returns a module that is not used but has this function, and whether it is loaded; ``core`` is thought of even if it is not."""
        wanted = function_name.lower()
        with self._lock:
            unused = {name: module for name, module in self._modules.items() if name not in self._used}
        for name, module in unused.items():
            if wanted in module.list_functions():
                return name, True
        if _CORE not in self._modules and wanted in CoreModule().list_functions():
            return _CORE, False
        return None

    def list_types(self) -> set[str]:
        """Returns the names of the types of all used modules in lower case."""
        return {name for module in self._used_modules() for name in module.list_types()}

    def get_type(self, name: str) -> DataType | None:
        """Returns the type of this name from the first used module that lists it, or None; the name is compared without case."""
        wanted = name.lower()
        for module in self._used_modules():
            found = module.get_type(name) if wanted in module.list_types() else None
            if found is not None:
                return found
        return None

    def find_logical_type(self, name: str) -> LogicalType | None:
        """Returns the logical type of this name, or None: what texts of types look up."""
        found = self.get_type(name)
        return None if found is None else found.logical_type

    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns the factory of a connector's sources from the first used module that has it, or None."""
        return next((f for m in self._used_modules() if (f := m.get_table_source_factory(identifier)) is not None), None)

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns the factory of a connector's sinks from the first used module that has it, or None."""
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
