"""Schema inference: a table created without columns gets those of its data."""

from __future__ import annotations

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import Configuration, resolved_options
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, WatermarkParams


def with_inferred_schema(
    table: CatalogTable, identifier: ObjectIdentifier, is_temporary: bool, configuration: Configuration
) -> CatalogTable:
    """Returns the table with the columns that its connector infers, or the table itself if it infers none.

    Raises:
        ValidationException: the table's options are invalid.
        TableRuntimeException: the data cannot be read.
    """
    # Differs from Flink: CREATE TABLE without columns reads them from the data, once. In Flink such a table has no columns.
    connector = table.options.get("connector")
    if connector is None or connector not in DynamicTableFactory.identifiers():
        return table
    factory = DynamicTableFactory.discover(connector)
    if not isinstance(factory, DynamicTableSourceFactory):
        return table
    with resolved_options(table.options, f"table {identifier}") as options:
        resolved = ResolvedCatalogTable(table.copy(WatermarkParams.without(options)), ResolvedSchema(()))
        inferred = factory.infer_schema(DynamicTableFactory.Context(identifier, resolved, configuration, is_temporary))
    if inferred is None:
        return table
    builder = Schema.new_builder()
    for field in inferred.row_type.fields:
        builder.column(field.name, field.type)
    keys = table.partition_keys or inferred.partition_keys
    return CatalogTable(builder.build(), comment=table.comment, partition_keys=tuple(keys), options={**table.options, **inferred.options})
