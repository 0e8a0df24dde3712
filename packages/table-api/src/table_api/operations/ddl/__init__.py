"""Statements that change catalogs; they run on no engine."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .alter_catalog: AlterCatalogOperation
    .alter_table: AlterDatabaseOperation AlterTableOperation AlterViewOperation RenameTableOperation
    .create_catalog: CreateCatalogOperation CreateDatabaseOperation
    .create_table: CreateTableOperation
    .create_table_as: CreateTableAsOperation
    .create_view: CreateViewOperation
    .drop: DropCatalogOperation DropDatabaseOperation DropTableOperation DropViewOperation
    .function: AlterFunctionOperation CreateFunctionOperation DropFunctionOperation
    .materialized_table: AlterMaterializedTableOperation CreateMaterializedTableOperation DropMaterializedTableOperation
        RefreshMaterializedTableOperation ResumeMaterializedTableOperation SuspendMaterializedTableOperation
    .model: AlterModelOperation CreateModelOperation DropModelOperation
    .partition: AddPartitionsOperation DropPartitionsOperation
    """,
)
