"""Temporary tables and views (FLIP-64), which belong to the session; their catalog and database need not exist."""

from __future__ import annotations

from threading import RLock

from table_common.catalog import CatalogBaseTable, CatalogView, ObjectIdentifier
from table_common.exceptions import CatalogException, closest


class TemporaryObjects:
    """Tables and views by full name; safe to use from several threads."""

    def __init__(self) -> None:
        self._objects: dict[ObjectIdentifier, CatalogBaseTable] = {}
        self._lock = RLock()

    def get(self, identifier: ObjectIdentifier) -> CatalogBaseTable | None:
        """Returns the temporary table or view of this name, or None."""
        return self._objects.get(identifier)

    def create(self, identifier: ObjectIdentifier, table: CatalogBaseTable, ignore_if_exists: bool, replace: bool = False) -> None:
        """Registers a table or view; ``replace`` replaces an existing view.

        Raises:
            CatalogException: an object of that name exists and is neither ignored nor replaced.
        """
        with self._lock:
            old = self._objects.get(identifier)
            if old is None or (replace and isinstance(old, CatalogView)):
                self._objects[identifier] = table
            elif replace or not ignore_if_exists:
                kind = "view" if isinstance(old, CatalogView) else "table"
                raise CatalogException(f"Temporary {kind} '{identifier.as_summary_string()}' exists already.")

    def replace(self, identifier: ObjectIdentifier, table: CatalogBaseTable) -> None:
        """Replaces the definition of an existing table or view."""
        with self._lock:
            assert identifier in self._objects
            self._objects[identifier] = table

    def drop(self, identifier: ObjectIdentifier, *, view: bool, ignore_if_not_exists: bool) -> bool:
        """Drops a table or (``view``) a view; returns whether it existed.

        Raises:
            CatalogException: no object of that kind and name exists and ``ignore_if_not_exists`` is false.
        """
        with self._lock:
            old = self._objects.get(identifier)
            if old is not None and isinstance(old, CatalogView) == view:
                del self._objects[identifier]
                return True
            if ignore_if_not_exists:
                return False
            kind, other = ("view", "table") if view else ("table", "view")
            if old is not None:
                raise CatalogException(
                    f"'{identifier.as_summary_string()}' is a temporary {other}, not a {kind}.", hint=f"DROP TEMPORARY {other.upper()}"
                )
            names = self.names(identifier.catalog_name, identifier.database_name, views=view, tables=not view)
            suggestions = closest(identifier.object_name, names)
            message = f"Temporary {kind} '{identifier.as_summary_string()}' does not exist."
            raise CatalogException(message + (f" Did you mean '{suggestions[0]}'?" if suggestions else ""))

    def names(self, catalog_name: str, database_name: str, *, tables: bool = True, views: bool = True) -> list[str]:
        """Returns the names of temporary tables, views or both in a database, sorted."""
        with self._lock:
            return sorted(
                identifier.object_name
                for identifier, table in self._objects.items()
                if (identifier.catalog_name, identifier.database_name) == (catalog_name, database_name)
                if (views if isinstance(table, CatalogView) else tables)
            )

    def databases(self, catalog_name: str) -> set[str]:
        """Returns the databases of a catalog that have temporary objects."""
        with self._lock:
            return {identifier.database_name for identifier in self._objects if identifier.catalog_name == catalog_name}
