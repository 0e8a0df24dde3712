"""Changing tables, views and databases. The new definition is complete: what ALTER adds, modifies or drops is merged before."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogDatabase, CatalogTable, CatalogView, ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AlterTableOperation(Operation):
    """``ALTER TABLE [IF EXISTS] …``: the new definition of the table, and the one that the change is based on."""

    identifier: ObjectIdentifier
    new_table: CatalogTable
    ignore_if_not_exists: bool = False
    old_table: CatalogTable | None = None


@dataclass(frozen=True, slots=True)
class AlterViewOperation(Operation):
    """``ALTER VIEW … AS query``: the view as it is afterwards."""

    identifier: ObjectIdentifier
    new_view: CatalogView
    ignore_if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTableOperation(Operation):
    """``ALTER TABLE|VIEW … RENAME TO …``, within one database."""

    identifier: ObjectIdentifier
    new_identifier: ObjectIdentifier
    ignore_if_not_exists: bool = False
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class AlterDatabaseOperation(Operation):
    """``ALTER DATABASE … SET (…)``: the properties that are set; the others stay."""

    catalog_name: str
    database_name: str
    new_database: CatalogDatabase
