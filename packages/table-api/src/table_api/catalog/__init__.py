"""Catalogs of a session, and lookup of tables, views, functions, models and modules."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog_manager: CatalogManager
    .catalog_stores: FileCatalogStore FileCatalogStoreFactory GenericInMemoryCatalogStore GenericInMemoryCatalogStoreFactory
    .embedded_scheduler: EmbeddedWorkflowSchedulerFactory
    .foreign_catalogs: HiveCatalog JdbcCatalog
    .function_catalog: FunctionCatalog
    .in_memory_catalog: GenericInMemoryCatalog
    .in_memory_catalog_factory: GenericInMemoryCatalogFactory
    .models: ModelCatalog
    .module_manager: ModuleEntry ModuleManager
    .query_view: QueryOperationCatalogView
    .schema_resolution: ExpressionResolver SchemaResolver
    .sqlite_catalog: SqliteCatalog
    .sqlite_catalog_factory: SqliteCatalogFactory
    table_common.catalog: Catalog CatalogBaseTable CatalogColumnStatistics CatalogDatabase CatalogDescriptor CatalogFunction CatalogModel
        CatalogPartition CatalogPartitionSpec CatalogTableStatistics Column ComputedColumn Constraint MetadataColumn ObjectIdentifier
        ObjectPath PhysicalColumn Procedure ProcedureContext ResolvedSchema UniqueConstraint WatermarkSpec
    """,
)
