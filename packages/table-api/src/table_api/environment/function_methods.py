"""The methods of ``TableEnvironment`` about functions and modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.catalog import ModuleEntry
from table_api.environment.session_holder import SessionHolder
from table_common.catalog import CatalogFunction, parse_path
from table_common.module import Module


class FunctionMethods(SessionHolder):
    """Creates, drops and lists functions; loads modules."""

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """Registers a function for this session under a name of one part; it hides built-in and catalog functions of that name.

        Args:
            name: the name; case does not matter.
            function: a subclass or an object of ``UserDefinedFunction``, or the result of ``udf``, ``udtf``, ``udaf`` or ``udtaf``.

        Raises:
            ValidationException: its types cannot be extracted; the message shows which annotation is missing.
            CatalogException: a temporary system function of that name exists.
        """
        self._session.function_catalog.create_temporary_system_function(name, function)

    def create_temporary_function(self, path: str, function: object) -> None:
        """Registers a function for this session, in a catalog and database, or for a name of one part as a system function (FLIP-64).

        Raises:
            ValidationException: its types cannot be extracted; the message shows which annotation is missing.
            CatalogException: a temporary function of that name exists.
        """
        parts = parse_path(path)
        # Differs from Flink: create_temporary_function with a name of one part makes a temporary system function, as FLIP-64 says. In Flink
        # it makes one of the current catalog.
        if len(parts) == 1:
            self._session.function_catalog.create_temporary_system_function(parts[0], function)
        else:
            self._session.function_catalog.create_temporary_function(parts, function)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Drops a temporary system function; returns whether it existed."""
        return self._session.function_catalog.drop_temporary_system_function(name, True)

    def drop_temporary_function(self, path: str) -> bool:
        """Drops a temporary function and returns whether it existed; a name of one part means a system function first."""
        parts, functions = parse_path(path), self._session.function_catalog
        if len(parts) == 1 and functions.drop_temporary_system_function(parts[0], True):
            return True
        return functions.drop_temporary_function(parts, True)

    def create_function(self, path: str, function_class: str | type, ignore_if_exists: bool = False) -> None:
        """Stores a function in a catalog by the import name of its class: a class of a module, or ``"module.Class"``.

        Raises:
            ValidationException: it is an object, or a class that another program cannot import.
            CatalogException: a function of that name exists and ``ignore_if_exists`` is false.
        """
        from table_api.catalog.function_loading import importable_name

        name = importable_name(function_class)
        self._session.function_catalog.create_function(parse_path(path), CatalogFunction(name), ignore_if_exists)

    def drop_function(self, path: str) -> bool:
        """Drops a function of a catalog; returns whether it existed."""
        return self._session.function_catalog.drop_function(parse_path(path), True)

    def list_functions(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of all functions, sorted; ``temporary=False`` leaves out temporary ones."""
        return self._session.function_catalog.list_functions(temporary=temporary)

    def list_temporary_functions(self) -> list[str]:
        """Returns the names of temporary functions, sorted: system functions and those of the current database."""
        return self._session.function_catalog.list_temporary_functions()

    def list_user_defined_functions(self) -> list[str]:
        """Returns the names of all functions that are not built in, sorted."""
        return self._session.function_catalog.list_user_defined_functions()

    def load_module(self, module_name: str, module: Module) -> None:
        """Loads a module; names are looked up in it after the modules that were loaded before.

        Raises:
            ValidationException: a module of that name is loaded.
        """
        self._session.module_manager.load_module(module_name, module)

    def load_modules(self, section: Sequence[Mapping[str, object]] | None) -> None:
        """Replaces the loaded modules by those of the section ``modules`` of a YAML file, atomically.

        Args:
            section: the modules, each with ``name``, ``type`` (default: the name) and options; None changes nothing.

        Raises:
            ValidationException: an entry is invalid, or a module cannot be created; the loaded modules are not changed.
        """
        self._session.module_manager.load_modules(section)

    def unload_module(self, module_name: str) -> None:
        """Unloads a module.

        Raises:
            ValidationException: it is not loaded.
        """
        self._session.module_manager.unload_module(module_name)

    def use_modules(self, *module_names: str) -> None:
        """Sets the modules in which names are looked up, and their order; other modules stay loaded, but unused.

        Raises:
            ValidationException: one of them is not loaded, or occurs twice.
        """
        self._session.module_manager.use_modules(*module_names)

    def list_modules(self) -> list[str]:
        """Returns the names of the used modules, in lookup order."""
        return self._session.module_manager.list_modules()

    def list_full_modules(self) -> list[ModuleEntry]:
        """Returns all loaded modules, each with its name and whether it is used."""
        return self._session.module_manager.list_full_modules()
