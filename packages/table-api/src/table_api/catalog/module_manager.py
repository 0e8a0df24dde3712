"""Which modules are loaded, which are used, in which order (FLIP-68)."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock

from table_common.configuration import ReadableConfig
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.module import CoreModule, Module, ModuleFactory

__all__ = ["ModuleEntry", "ModuleManager"]


@dataclass(frozen=True, slots=True)
class ModuleEntry:
    """A loaded module: its name, and whether its functions are found."""

    name: str
    used: bool


class ModuleManager:
    """The loaded modules of a session, which begins with ``core``; safe to use from several threads."""

    def __init__(self) -> None:
        self._modules: dict[str, Module] = {"core": CoreModule()}
        self._used: tuple[str, ...] = ("core",)
        self._lock = RLock()

    def load_module(self, name: str, module: Module | None = None, options: Mapping[str, str] | None = None) -> None:
        """Loads a module, found by its factory unless it is given; it is used after those used already.

        Raises:
            ValidationException: a module of that name is loaded already, or there is no such factory.
        """
        with self._lock:
            if not name:
                raise ValidationException("The name of a module is empty.")
            if name in self._modules:
                raise ValidationException(f"Module '{name}' is loaded already.", hint=f"UNLOAD MODULE {name}")
            if module is None:
                module = ModuleFactory.discover(name).create_module(ModuleFactory.Context(dict(options or {}), ReadableConfig()))
            self._modules[name] = module
            self._used = (*self._used, name)

    def unload_module(self, name: str) -> None:
        """Takes a module away.

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

    def list_functions(self, include_hidden: bool = False) -> set[str]:
        """Returns the names of the functions of all used modules in lower case."""
        with self._lock:
            return set().union(*(self._modules[name].list_functions(include_hidden) for name in self._used))

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function of this name from the first used module that has it, or None."""
        with self._lock:
            modules = [self._modules[used] for used in self._used]
        return next((found for module in modules if (found := module.get_function_definition(name)) is not None), None)

    def _check_loaded(self, name: str) -> None:
        if name not in self._modules:
            raise ValidationException.unknown("Module", name, self._modules, where="the loaded modules")
