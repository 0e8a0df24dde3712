"""Catalogs: identifiers, schemas, tables, and the SPI."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog: Catalog CatalogDatabase
    .column: Column ComputedColumn MetadataColumn PhysicalColumn
    .descriptor: CatalogDescriptor
    .function: CatalogFunction
    .identifiers: ObjectIdentifier ObjectPath
    .listener: AlterDatabaseEvent AlterTableEvent CatalogModificationEvent CatalogModificationListener CreateDatabaseEvent CreateTableEvent
        DropDatabaseEvent DropTableEvent RenameTableEvent
    .materialized_table: CatalogMaterializedTable IntervalFreshness LogicalRefreshMode PARTITION_FIELDS RefreshMode RefreshStatus
        partition_of_time
    .model: CatalogModel
    .object_paths: parse_path
    .partition: CatalogPartition CatalogPartitionSpec
    .procedure: Procedure ProcedureContext
    .resolved_schema: Constraint ResolvedSchema UniqueConstraint WatermarkSpec
    .schema: Schema UnresolvedColumn UnresolvedPrimaryKey UnresolvedWatermark
    .statistics: CatalogColumnStatistics CatalogColumnStatisticsData CatalogColumnStatisticsDataBinary CatalogColumnStatisticsDataBoolean
        CatalogColumnStatisticsDataDate CatalogColumnStatisticsDataDouble CatalogColumnStatisticsDataLong CatalogColumnStatisticsDataString
        CatalogTableStatistics
    .store: CatalogStore
    .table: CatalogBaseTable CatalogTable CatalogView ResolvedCatalogTable ResolvedCatalogView TableDistribution
    .workflow_scheduler: CreateRefreshWorkflow WorkflowScheduler
    """,
)
