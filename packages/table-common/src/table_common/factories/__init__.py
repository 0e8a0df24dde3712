"""Factories: discovery by entry point and validation of options."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog: CatalogFactory
    .catalog_listener: CatalogModificationListenerFactory
    .catalog_store: CatalogStoreFactory
    .factory: Factory install_hint
    .factory_util: FactoryUtil
    .format: DeserializationFormatFactory FileFormatFactory FormatFactory SerializationFormatFactory
    .model: ModelProviderFactory
    .option_validation: validate_options
    .table: DynamicTableFactory DynamicTableSinkFactory DynamicTableSourceFactory InferredSchema
    .watermark_params: WatermarkOptions WatermarkParams
    .workflow_scheduler: WorkflowSchedulerFactory
    """,
)
