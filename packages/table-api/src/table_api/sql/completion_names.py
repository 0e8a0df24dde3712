"""The names that completion offers, as the managers of an environment know them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from table_api.catalog.catalog_manager import CatalogManager
from table_api.catalog.function_catalog import FunctionCatalog
from table_api.catalog.module_manager import ModuleManager
from table_api.delegation.session import FoundTable
from table_common.exceptions import TableError

__all__ = ["CompletionSession", "SessionNames"]

_T = TypeVar("_T")


class CompletionSession(Protocol):
    """What completion needs of a session."""

    @property
    def catalog_manager(self) -> CatalogManager:
        """The catalogs and the tables in them."""

    @property
    def function_catalog(self) -> FunctionCatalog:
        """The functions."""

    @property
    def module_manager(self) -> ModuleManager:
        """The modules."""


class SessionNames:
    """The names of one session; what cannot be listed is left out, because completion never fails."""

    def __init__(self, session: CompletionSession) -> None:
        self._tables = session.catalog_manager
        self._functions = session.function_catalog
        self._modules = session.module_manager

    def catalogs(self) -> Iterable[str]:
        """The catalogs."""
        return _or_nothing(self._tables.list_catalogs)

    def databases(self, catalog: str | None) -> Iterable[str]:
        """The databases of a catalog; None is the current one."""
        return _or_nothing(lambda: self._tables.list_databases(catalog))

    def tables(self, path: tuple[str, ...]) -> Iterable[str]:
        """The tables and views of a database."""
        if len(path) > 2:
            return []
        catalog = path[0] if len(path) == 2 else None
        database = path[-1] if path else None
        return _or_nothing(lambda: self._tables.list_tables(catalog, database))

    def columns(self, path: tuple[str, ...]) -> Sequence[str]:
        """The columns of a table or view."""
        return _or_nothing(lambda: self._columns(path))

    def _columns(self, path: tuple[str, ...]) -> Sequence[str]:
        found = self._tables.find_table(path) if len(path) <= 3 else None
        if found is None:
            return []
        schema = found.table.resolved_schema if isinstance(found, FoundTable) else found.schema
        return () if schema is None else schema.column_names

    def functions(self) -> Iterable[str]:
        """The functions that can be called by one name."""
        return _or_nothing(self._functions.list_functions)

    def modules(self) -> Iterable[str]:
        """The modules that are used."""
        return _or_nothing(self._modules.list_modules)


def _or_nothing(listing: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    try:
        return listing()
    except TableError:
        return []
