"""Statements that change catalogs; they run on no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.operations.ddl.alter_catalog import AlterCatalogOperation
    from table_api.operations.ddl.alter_table import AlterDatabaseOperation, AlterTableOperation, AlterViewOperation, RenameTableOperation
    from table_api.operations.ddl.create_catalog import CreateCatalogOperation, CreateDatabaseOperation
    from table_api.operations.ddl.create_table import CreateTableOperation
    from table_api.operations.ddl.create_table_as import CreateTableAsOperation
    from table_api.operations.ddl.create_view import CreateViewOperation
    from table_api.operations.ddl.drop import DropCatalogOperation, DropDatabaseOperation, DropTableOperation, DropViewOperation
    from table_api.operations.ddl.function import AlterFunctionOperation, CreateFunctionOperation, DropFunctionOperation
    from table_api.operations.ddl.model import AlterModelOperation, CreateModelOperation, DropModelOperation
    from table_api.operations.ddl.partition import AddPartitionsOperation, DropPartitionsOperation

__all__ = [
    "AddPartitionsOperation",
    "AlterCatalogOperation",
    "AlterDatabaseOperation",
    "AlterFunctionOperation",
    "AlterModelOperation",
    "AlterTableOperation",
    "AlterViewOperation",
    "CreateCatalogOperation",
    "CreateDatabaseOperation",
    "CreateFunctionOperation",
    "CreateModelOperation",
    "CreateTableAsOperation",
    "CreateTableOperation",
    "CreateViewOperation",
    "DropCatalogOperation",
    "DropDatabaseOperation",
    "DropFunctionOperation",
    "DropModelOperation",
    "DropPartitionsOperation",
    "DropTableOperation",
    "DropViewOperation",
    "RenameTableOperation",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.operations.ddl.alter_catalog": ("AlterCatalogOperation",),
        "table_api.operations.ddl.alter_table": (
            "AlterDatabaseOperation",
            "AlterTableOperation",
            "AlterViewOperation",
            "RenameTableOperation",
        ),
        "table_api.operations.ddl.create_catalog": ("CreateCatalogOperation", "CreateDatabaseOperation"),
        "table_api.operations.ddl.create_table": ("CreateTableOperation",),
        "table_api.operations.ddl.create_table_as": ("CreateTableAsOperation",),
        "table_api.operations.ddl.create_view": ("CreateViewOperation",),
        "table_api.operations.ddl.drop": ("DropCatalogOperation", "DropDatabaseOperation", "DropTableOperation", "DropViewOperation"),
        "table_api.operations.ddl.function": ("AlterFunctionOperation", "CreateFunctionOperation", "DropFunctionOperation"),
        "table_api.operations.ddl.model": ("AlterModelOperation", "CreateModelOperation", "DropModelOperation"),
        "table_api.operations.ddl.partition": ("AddPartitionsOperation", "DropPartitionsOperation"),
    },
)
