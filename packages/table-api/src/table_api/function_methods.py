"""The methods of ``TableEnvironment`` about functions and modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.catalog import ModuleEntry
from table_api.execution import TableSession
from table_common.catalog import CatalogFunction, parse_path
from table_common.module import Module

__all__ = ["FunctionMethods"]


class FunctionMethods:
    """Creates, drops and lists functions; loads modules."""

    _session: TableSession

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """Adds a function that hides all others of its name, in every catalog.

        ``function`` is a class or object derived from ``ScalarFunction`` and the like, or what ``udf``, ``udtf``, ``udaf`` and ``udtaf`` return.

        Raises:
            ValidationException: its types cannot be extracted; the message shows what to write.
        """
        self._session.function_catalog.create_temporary_system_function(name, function)

    def create_temporary_function(self, path: str, function: object) -> None:
        """Adds a function for this session: to a catalog and database, or, under a name of one part, as a system function (FLIP-64)."""
        parts = parse_path(path)
        # Differs from Flink: create_temporary_function with a name of one part makes a temporary system function, as FLIP-64 says.
        if len(parts) == 1:
            self._session.function_catalog.create_temporary_system_function(parts[0], function)
        else:
            self._session.function_catalog.create_temporary_function(parts, function)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Drops a temporary system function; returns whether there was one."""
        return self._session.function_catalog.drop_temporary_system_function(name, True)

    def drop_temporary_function(self, path: str) -> bool:
        """Drops a temporary function, under a name of one part a system function first; returns whether there was one."""
        parts, functions = parse_path(path), self._session.function_catalog
        if len(parts) == 1 and functions.drop_temporary_system_function(parts[0], True):
            return True
        return functions.drop_temporary_function(parts, True)

    def create_function(self, path: str, function_class: str | type, ignore_if_exists: bool = False) -> None:
        """Adds a function to a catalog, which keeps the name of its class: a class of a module, or ``"module.Class"``.

        Raises:
            ValidationException: it is an object, or a class that another program could not import.
        """
        from table_api.catalog.function_loading import importable_name

        name = importable_name(function_class)
        self._session.function_catalog.create_function(parse_path(path), CatalogFunction(name), ignore_if_exists)

    def drop_function(self, path: str) -> bool:
        """Drops a function of a catalog; returns whether there was one."""
        return self._session.function_catalog.drop_function(parse_path(path), True)

    def list_functions(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of all functions, sorted; ``temporary=False``: without those of this session only."""
        return self._session.function_catalog.list_functions(temporary=temporary)

    def list_temporary_functions(self) -> list[str]:
        """Returns the names of the temporary functions, those of the system and of the current database, sorted."""
        return self._session.function_catalog.list_temporary_functions()

    def list_user_defined_functions(self) -> list[str]:
        """Returns the names of all functions that are not built in, sorted."""
        return self._session.function_catalog.list_user_defined_functions()

    def load_module(self, module_name: str, module: Module) -> None:
        """Loads a module; its functions are found after those of the modules loaded before."""
        self._session.module_manager.load_module(module_name, module)

    def load_modules(self, section: Sequence[Mapping[str, object]] | None) -> None:
        """Loads exactly the modules that the section ``modules`` of a YAML file lists: each a name, a type (by default the name) and options.

        None, for a file without the section, leaves the modules as they are. If a module cannot be made, nothing has changed.
        """
        self._session.module_manager.load_modules(section)

    def unload_module(self, module_name: str) -> None:
        """Takes a module away."""
        self._session.module_manager.unload_module(module_name)

    def use_modules(self, *module_names: str) -> None:
        """Uses these modules in this order; the others stay loaded, but unused."""
        self._session.module_manager.use_modules(*module_names)

    def list_modules(self) -> list[str]:
        """Returns the names of the modules that are used, in order."""
        return self._session.module_manager.list_modules()

    def list_full_modules(self) -> list[ModuleEntry]:
        """Returns all loaded modules and whether they are used."""
        return self._session.module_manager.list_full_modules()
