"""Support for tests of connectors, formats, catalogs, modules and engines: compliance suites to subclass (those of connectors and formats need the extra ``arrow``), and strategies (hypothesis)."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog_compliance: CatalogCompliance
    .connector_case: ConnectorCase read_rows write_rows
    .file_format_compliance: FileFormatCompliance
    .lookup_compliance: LookupCompliance
    .module_compliance: ModuleCompliance
    .offset_compliance: OffsetCompliance
    .sink_compliance: SinkCompliance
    .source_compliance: SourceCompliance
    .sql_compliance: SqlCompliance
    """,
)
