"""Names for completion in the SQL client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.delegation import FoundTable
from table_api.execution.completion_options import file_paths, table_keys, table_values, values_of
from table_api.execution.session import TableSession
from table_common.configuration import SESSION_OPTIONS
from table_common.exceptions import TableError
from table_common.gate import restrictions_in_force


class SessionNames:
    """The names of a session for completion; names that cannot be listed are left out, so that completion never fails."""

    def __init__(self, session: TableSession) -> None:
        self._session = session

    def catalogs(self) -> Iterable[str]:
        """Returns the catalogs."""
        return self._session.catalog_manager.list_catalogs()

    def databases(self, catalog: str | None) -> Iterable[str]:
        """Returns the databases of a catalog; None is the current one."""
        try:
            return self._session.catalog_manager.list_databases(catalog)
        except TableError:
            return ()

    def tables(self, path: tuple[str, ...]) -> Iterable[str]:
        """Returns the tables and views of a database; ``()`` is the current one, one part a database of the current catalog."""
        manager = self._session.catalog_manager
        try:
            if len(path) == 2:
                return manager.list_tables(*path)
            return manager.list_tables(None, path[0] if path else None) if len(path) < 2 else ()
        except TableError:
            return ()

    def columns(self, path: tuple[str, ...]) -> Sequence[str]:
        """Returns the columns of a table; empty if there is no such table."""
        try:
            found = self._session.catalog_manager.find_table(path)
        except TableError:
            return ()
        if found is None:
            return ()
        schema = found.table.resolved_schema if isinstance(found, FoundTable) else found.schema
        return schema.column_names if schema is not None else ()

    def query_columns(self, query: str) -> Sequence[str]:
        """Returns the columns of a query; empty if it is wrong."""
        try:
            return self._session.convert_query(query).resolved_schema.column_names
        except TableError:
            return ()

    def session_keys(self) -> Iterable[str]:
        """Returns the keys of the session's options, and of those that are set."""
        return {*SESSION_OPTIONS, *self._session.configuration.to_map()}

    def session_values(self, key: str) -> Iterable[str]:
        """Returns the values of a session option that has few."""
        option = SESSION_OPTIONS.get(key)
        return values_of(option) if option is not None else ()

    def table_keys(self, options: dict[str, str]) -> Iterable[str]:
        """Returns the keys of the options of a table."""
        return table_keys(options)

    def table_values(self, options: dict[str, str], key: str) -> Iterable[str]:
        """Returns the values of an option of a table that has few."""
        return table_values(options, key)

    def paths(self, typed: str) -> Iterable[str]:
        """Returns the paths that begin with a text."""
        with restrictions_in_force(self._session.configuration):
            return file_paths(typed)

    def functions(self) -> Iterable[str]:
        """Returns the functions that an unqualified name can refer to; built-in functions in upper case."""
        user = set(self._session.function_catalog.list_user_defined_functions())
        return [name if name in user else name.upper() for name in self._session.function_catalog.list_functions()]

    def modules(self) -> Iterable[str]:
        """Returns the loaded modules."""
        return [entry.name() for entry in self._session.module_manager.list_full_modules()]

    def models(self) -> Iterable[str]:
        """Returns the models of the current database."""
        return self._session.models.list_models()
