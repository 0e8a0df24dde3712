"""Statements that change catalogs; they run on no engine."""

from table_api.operations.ddl.alter_table import (
    AlterDatabaseOperation,
    AlterTableOperation,
    AlterViewOperation,
    RenameTableOperation,
)
from table_api.operations.ddl.create_catalog import CreateCatalogOperation, CreateDatabaseOperation
from table_api.operations.ddl.create_table import CreateTableAsOperation, CreateTableOperation
from table_api.operations.ddl.create_view import CreateViewOperation
from table_api.operations.ddl.drop import DropCatalogOperation, DropDatabaseOperation, DropTableOperation, DropViewOperation

__all__ = [
    "AlterDatabaseOperation",
    "AlterTableOperation",
    "AlterViewOperation",
    "CreateCatalogOperation",
    "CreateDatabaseOperation",
    "CreateTableAsOperation",
    "CreateTableOperation",
    "CreateViewOperation",
    "DropCatalogOperation",
    "DropDatabaseOperation",
    "DropTableOperation",
    "DropViewOperation",
    "RenameTableOperation",
]
