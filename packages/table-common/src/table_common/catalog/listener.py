"""What is told of changes of catalogs: listeners and their events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.catalog.catalog import CatalogDatabase
    from table_common.catalog.identifiers import ObjectIdentifier
    from table_common.catalog.table import CatalogBaseTable


@dataclass(frozen=True, slots=True)
class CatalogModificationEvent:
    """A change that a session has made in a catalog, or of one of its temporary tables and views.

    Source: Flink's ``org.apache.flink.table.catalog.listener.CatalogModificationEvent``.

    Example:
        >>> CatalogModificationEvent("lake").catalog_name
        'lake'
    """

    catalog_name: str


@dataclass(frozen=True, slots=True)
class CreateDatabaseEvent(CatalogModificationEvent):
    """A database was created, or was there and ``ignore_if_exists`` is true.

    Source: Flink's ``org.apache.flink.table.catalog.listener.CreateDatabaseEvent``.

    Example:
        >>> from table_common.catalog import CatalogDatabase
        >>> CreateDatabaseEvent("lake", "db", CatalogDatabase(), ignore_if_exists=False).database_name
        'db'
    """

    database_name: str
    database: CatalogDatabase
    ignore_if_exists: bool


@dataclass(frozen=True, slots=True)
class AlterDatabaseEvent(CatalogModificationEvent):
    """A database has other properties.

    Source: Flink's ``org.apache.flink.table.catalog.listener.AlterDatabaseEvent``.

    Example:
        >>> from table_common.catalog import CatalogDatabase
        >>> AlterDatabaseEvent("lake", "db", CatalogDatabase({"a": "b"})).new_database.properties["a"]
        'b'
    """

    database_name: str
    new_database: CatalogDatabase


@dataclass(frozen=True, slots=True)
class DropDatabaseEvent(CatalogModificationEvent):
    """A database was dropped, with ``cascade`` with its objects, or was not there and ``ignore_if_not_exists`` is true.

    Source: Flink's ``org.apache.flink.table.catalog.listener.DropDatabaseEvent``.

    Example:
        >>> DropDatabaseEvent("lake", "db", ignore_if_not_exists=False, cascade=True).cascade
        True
    """

    database_name: str
    ignore_if_not_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class CreateTableEvent(CatalogModificationEvent):
    """A table or view was created or replaced, or was there and ``ignore_if_exists`` is true.

    Source: Flink's ``org.apache.flink.table.catalog.listener.CreateTableEvent``.

    Example:
        >>> from table_common.catalog import CatalogTable, ObjectIdentifier, Schema
        >>> CreateTableEvent("lake", ObjectIdentifier("lake", "db", "t"), CatalogTable(Schema()), False, is_temporary=True).is_temporary
        True
    """

    identifier: ObjectIdentifier
    table: CatalogBaseTable
    ignore_if_exists: bool
    is_temporary: bool


@dataclass(frozen=True, slots=True)
class AlterTableEvent(CatalogModificationEvent):
    """A table or view has another definition.

    Source: Flink's ``org.apache.flink.table.catalog.listener.AlterTableEvent``.

    Example:
        >>> from table_common.catalog import CatalogTable, ObjectIdentifier, Schema
        >>> str(AlterTableEvent("lake", ObjectIdentifier("lake", "db", "t"), CatalogTable(Schema())).identifier)
        '`lake`.`db`.`t`'
    """

    identifier: ObjectIdentifier
    new_table: CatalogBaseTable


@dataclass(frozen=True, slots=True)
class RenameTableEvent(CatalogModificationEvent):
    """A table or view has another name in its database. Flink has no such event: it tells nobody of a new name.

    Source: Flink's ``org.apache.flink.table.catalog.listener.AlterTableEvent``.

    Example:
        >>> from table_common.catalog import ObjectIdentifier
        >>> RenameTableEvent("lake", ObjectIdentifier("lake", "db", "t"), "u").new_name
        'u'
    """

    identifier: ObjectIdentifier
    new_name: str


@dataclass(frozen=True, slots=True)
class DropTableEvent(CatalogModificationEvent):
    """A table or view was dropped.

    Source: Flink's ``org.apache.flink.table.catalog.listener.DropTableEvent``.

    Example:
        >>> from table_common.catalog import ObjectIdentifier
        >>> DropTableEvent("lake", ObjectIdentifier("lake", "db", "t"), is_temporary=False).is_temporary
        False
    """

    identifier: ObjectIdentifier
    is_temporary: bool


class CatalogModificationListener(ABC):
    """Is told of each change, after it was made, by the thread that made it.

    An error of a listener is the error of the statement, which has changed the catalog nevertheless.

    Source: Flink's ``org.apache.flink.table.catalog.listener.CatalogModificationListener``.

    Example:
        >>> class Names(CatalogModificationListener):
        ...     def on_event(self, event):
        ...         print(type(event).__name__, event.catalog_name)
        >>> Names().on_event(CatalogModificationEvent("lake"))
        CatalogModificationEvent lake
    """

    @abstractmethod
    def on_event(self, event: CatalogModificationEvent) -> None:
        """Is called after a change."""
