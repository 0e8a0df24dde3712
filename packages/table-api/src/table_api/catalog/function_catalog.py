"""Lookup of functions: temporary system functions, modules, temporary functions, then functions of catalogs (FLIP-64)."""

from __future__ import annotations

from threading import RLock

from table_api.catalog.catalog_manager import CatalogManager
from table_api.catalog.module_manager import ModuleManager
from table_common.catalog import CatalogFunction, ObjectIdentifier
from table_common.catalog_exceptions import FunctionAlreadyExistException, FunctionNotExistException
from table_common.configuration import Configuration
from table_common.exceptions import CatalogException, SourcePosition, ValidationException
from table_common.functions import FunctionDefinition
from table_common.module import standard_function
from table_common.object_names import check_no_nul
from table_common.types import named_types, quote_identifier


class FunctionCatalog:
    """The functions of a session; names are case-insensitive. Safe to use from several threads.

    Source: Flink's ``org.apache.flink.table.catalog.FunctionCatalog``.
    """

    def __init__(self, catalog_manager: CatalogManager, module_manager: ModuleManager, configuration: Configuration | None = None) -> None:
        """``configuration`` is told of the artifacts of functions: the option ``python.files``."""
        self._catalogs = catalog_manager
        self._modules = module_manager
        self._system: dict[str, FunctionDefinition] = {}
        self._temporary: dict[ObjectIdentifier, FunctionDefinition] = {}
        self._loaded: dict[ObjectIdentifier, tuple[CatalogFunction, FunctionDefinition]] = {}
        self._configuration = configuration if configuration is not None else Configuration()
        self._lock = RLock()

    def find_function(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        """Returns the function of a name, or None; a name of several parts is never a system function."""
        if len(path) == 1:
            system = self._system.get(path[0].lower()) or self._modules.get_function_definition(path[0])
            if system is not None:
                return system
        found = self._temporary.get(self._identify(path)) or self._permanent(path)
        # As in Flink, standard SQL functions exist without the module 'core'; all other functions take precedence over them.
        return found if found is not None or len(path) > 1 else standard_function(path[0])

    def function_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> ValidationException:
        """Returns the error for an unknown function; it names an unused module that has the function, or the closest names."""
        owner = self._modules.module_with(path[0]) if len(path) == 1 else None
        if owner is not None:
            return _not_used(path[0], *owner, self._modules.list_modules(), position)
        names = [name.upper() if name in self._modules.list_functions() else name for name in self.list_functions()]
        error = ValidationException.unknown("Function", ".".join(path), names, position=position)
        # The list of all names would be too long; the closest are suggested.
        message = error.message.partition(" Available:")[0]
        from table_common.functions import FOREIGN_FUNCTIONS

        instead = FOREIGN_FUNCTIONS.get(path[-1].upper())
        if instead is not None:
            return ValidationException(message.partition(" Did you mean")[0], position=position, hint=f"write {instead}")
        return ValidationException(message, position=position, hint="SHOW FUNCTIONS lists all")

    # --- functions of catalogs ---------------------------------------------------------------------------------------------------

    def create_function(self, path: tuple[str, ...], function: CatalogFunction, ignore_if_exists: bool = False) -> None:
        """Stores a function in a catalog; as in Flink, its class is loaded at its first use.

        Raises:
            CatalogException: it exists and ``ignore_if_exists`` is false.
        """
        identifier = self._identify(path)
        with self._lock:
            if not ignore_if_exists or not self._exists(identifier):
                self._catalogs.get_catalog(identifier.catalog_name).create_function(identifier.to_object_path(), function, ignore_if_exists)

    def alter_function(self, path: tuple[str, ...], function: CatalogFunction, ignore_if_not_exists: bool = False) -> None:
        """Replaces a function of a catalog; its class is loaded at its first use.

        Raises:
            CatalogException: it does not exist and ``ignore_if_not_exists`` is false.
        """
        identifier = self._identify(path)
        with self._lock:
            self._catalogs.get_catalog(identifier.catalog_name).alter_function(identifier.to_object_path(), function, ignore_if_not_exists)

    def drop_function(self, path: tuple[str, ...], ignore_if_not_exists: bool = False) -> bool:
        """Drops a function of a catalog; returns whether it existed.

        Raises:
            CatalogException: it does not exist and that is not ignored, or a temporary function hides it.
        """
        identifier = self._identify(path)
        with self._lock:
            if identifier in self._temporary:
                raise CatalogException(
                    f"A temporary function hides '{identifier.as_summary_string()}'.", hint="Drop it first: DROP TEMPORARY FUNCTION."
                )
            existed = self._exists(identifier)
            if existed or not ignore_if_not_exists:
                self._catalogs.get_catalog(identifier.catalog_name).drop_function(identifier.to_object_path(), ignore_if_not_exists)
            return existed

    def _exists(self, identifier: ObjectIdentifier) -> bool:
        catalog = self._catalogs.find_catalog(identifier.catalog_name)
        if catalog is None or not catalog.database_exists(identifier.database_name):
            return False
        return catalog.function_exists(identifier.to_object_path())

    def stored_function(self, path: tuple[str, ...]) -> CatalogFunction | None:
        """Returns the catalog's entry of a function, or None; a temporary function hides it."""
        identifier = self._identify(path)
        with self._lock:
            if identifier in self._temporary or not self._exists(identifier):
                return None
            return self._catalogs.get_catalog(identifier.catalog_name).get_function(identifier.to_object_path())

    def _permanent(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        identifier = self._identify(path)
        with self._lock:
            if not self._exists(identifier):
                return None
            stored = self._catalogs.get_catalog(identifier.catalog_name).get_function(identifier.to_object_path())
            known = self._loaded.get(identifier)
            if known is None or known[0] != stored:
                known = self._loaded[identifier] = (stored, self.load(stored, identifier.object_name))
            return known[1]

    # --- temporary functions -----------------------------------------------------------------------------------------------------

    def create_temporary_system_function(self, name: str, function: object, ignore_if_exists: bool = False) -> None:
        """Registers a function that hides all others of its name.

        Raises:
            ValidationException: the name is empty, or the types of the function cannot be extracted.
            CatalogException: a temporary system function of that name exists and ``ignore_if_exists`` is false.
        """
        with self._lock:
            if not name:
                raise ValidationException("The name of a function is empty.")
            check_no_nul(name, "the name of a function")
            if name.lower() not in self._system:
                self._system[name.lower()] = self._definition(function, name)
            elif not ignore_if_exists:
                raise FunctionAlreadyExistException(f"Temporary system function '{name}' exists already.")

    def drop_temporary_system_function(self, name: str, ignore_if_not_exists: bool = False) -> bool:
        """Drops a temporary system function; returns whether it existed.

        Raises:
            CatalogException: it does not exist and ``ignore_if_not_exists`` is false.
        """
        with self._lock:
            if self._system.pop(name.lower(), None) is not None:
                return True
            if not ignore_if_not_exists:
                raise FunctionNotExistException.unknown("Temporary system function", name, self._system)
            return False

    def create_temporary_function(self, path: tuple[str, ...], function: object, ignore_if_exists: bool = False) -> None:
        """Registers a function in a catalog and database, which need not exist.

        Raises:
            ValidationException: the types of the function cannot be extracted.
            CatalogException: a temporary function of that name exists and ``ignore_if_exists`` is false.
        """
        identifier = self._identify(path)
        with self._lock:
            if identifier not in self._temporary:
                self._temporary[identifier] = self._definition(function, identifier.object_name)
            elif not ignore_if_exists:
                raise FunctionAlreadyExistException(f"Temporary function '{identifier.as_summary_string()}' exists already.")

    def drop_temporary_function(self, path: tuple[str, ...], ignore_if_not_exists: bool = False) -> bool:
        """Drops a temporary function; returns whether it existed.

        Raises:
            CatalogException: it does not exist and ``ignore_if_not_exists`` is false.
        """
        identifier = self._identify(path)
        with self._lock:
            if self._temporary.pop(identifier, None) is not None:
                return True
            if not ignore_if_not_exists:
                names = [known.as_summary_string() for known in self._temporary]
                raise FunctionNotExistException.unknown("Temporary function", identifier.as_summary_string(), names)
            return False

    def _definition(self, function: object, name: str) -> FunctionDefinition:
        with named_types(self._modules.find_logical_type):
            from table_api.catalog.function_loading import as_definition  # few functions are loaded by name

            return as_definition(function, name)

    def add_artifacts(self, function: CatalogFunction) -> None:
        """Makes the artifacts of an entry importable, in the tasks of jobs, too.

        Raises:
            ValidationException: one does not exist or is forbidden.
        """
        for artifact in function.artifacts:
            from table_api.python_files import add_python_file  # few functions have artifacts

            add_python_file(self._configuration, artifact)

    def load(self, function: CatalogFunction, name: str) -> FunctionDefinition:
        """Returns the function of an entry; its artifacts can be imported from now on.

        Raises:
            ValidationException: an artifact, the module or the class does not exist, is forbidden, or is not a function.
        """
        self.add_artifacts(function)
        with named_types(self._modules.find_logical_type):
            from table_api.catalog.function_loading import load_function  # few functions are loaded by name

            return load_function(function.class_name, name)

    # --- listing -----------------------------------------------------------------------------------------------------------------

    def list_functions(self, *, temporary: bool = True, database: tuple[str, str] | None = None) -> list[str]:
        """Returns the names of all functions that can be called by a name of one part, sorted, with or without temporary ones.

        ``database``, a catalog and a database, replaces the current one.
        """
        return sorted({*self._modules.list_functions(), *self.list_user_defined_functions(temporary=temporary, database=database)})

    def list_temporary_functions(self, *, database: tuple[str, str] | None = None) -> list[str]:
        """Returns the names of temporary system functions, and of temporary functions in a database, by default the current one, sorted."""
        current = database or (self._catalogs.current_catalog, self._catalogs.current_database)
        with self._lock:
            here = [name.object_name for name in self._temporary if (name.catalog_name, name.database_name) == current]
            return sorted({*self._system, *here})

    def list_user_defined_functions(self, *, temporary: bool = True, database: tuple[str, str] | None = None) -> list[str]:
        """Returns the names of functions that do not belong to a module, sorted; the arguments are those of ``list_functions``."""
        catalog_name, database_name = database or (self._catalogs.current_catalog, self._catalogs.current_database)
        with self._lock:
            catalog = self._catalogs.find_catalog(catalog_name)
            stored = catalog.list_functions(database_name) if catalog is not None and catalog.database_exists(database_name) else []
            return sorted({*(self.list_temporary_functions(database=database) if temporary else ()), *stored})

    def sql_name(self, function: FunctionDefinition) -> str | None:
        """Returns the full name under which a user function is registered, as SQL text; None if it is not registered."""
        own = getattr(function, "function", function)  # variants of a definition share the user's object
        with self._lock:
            for name, known in self._system.items():
                if getattr(known, "function", known) is own:
                    return quote_identifier(name)
            stored = {identifier: definition for identifier, (_, definition) in self._loaded.items()}
            for identifier, known in {**stored, **self._temporary}.items():
                if getattr(known, "function", known) is own:
                    return identifier.as_serializable_string()
        return None

    def is_temporary(self, path: tuple[str, ...]) -> bool:
        """Returns whether the name refers to a temporary function."""
        if len(path) == 1 and path[0].lower() in self._system:
            return True
        system = len(path) == 1 and self._modules.has_function(path[0])
        return not system and self._identify(path) in self._temporary

    def _identify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        return self._catalogs.qualify((*path[:-1], path[-1].lower()) if path else path)


def _not_used(name: str, module: str, is_loaded: bool, used: list[str], position: SourcePosition | None) -> ValidationException:
    state = "loaded, but not used" if is_loaded else "not loaded"
    hint = f"USE MODULES {', '.join([*used, module])}" if is_loaded else f"LOAD MODULE {module}"
    message = f"Function '{name}' does not exist: it is a function of the module '{module}', which is {state}."
    return ValidationException(message, position=position, hint=hint)
