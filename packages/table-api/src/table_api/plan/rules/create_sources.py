"""Creates the source of each scanned table; later push-downs change copies of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from table_api.operations import ContextResolvedTable, ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.resolution.casting import cast_to
from table_common.catalog import CatalogTable, ObjectIdentifier, PhysicalColumn, ResolvedCatalogTable, ResolvedSchema
from table_common.configuration import resolve_references
from table_common.connector import DynamicTableSource
from table_common.connector.source.abilities import SupportsReadingMetadata
from table_common.exceptions import TableError, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, FactoryUtil, WatermarkParams
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import strings
from table_common.redaction import HiddenValues, redact_error
from table_common.secrets import is_secret_key
from table_common.tree import transform_up
from table_common.types import CharType, RawType, RowType, supports_explicit_cast, types_in

_PATHS = ("file.path", "file.name")
"""The metadata keys that contain the location of a table's files."""


def create_sources(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Creates the source of each scan that has none, by the connector's factory."""

    def change(node: SourceQueryOperation) -> QueryOperation:
        if node.source is not None:
            return node
        scan = replace(node, source=created_source(node, context))
        return _with_metadata(scan, {**node.table.table.options, **node.options}) if node.metadata_columns else scan

    return transform_up(root, QueryOperation, change, of=SourceQueryOperation)


def created_source(scan: SourceQueryOperation, context: RuleContext) -> DynamicTableSource:
    """Returns the source that the connector's factory creates for a scan.

    Raises:
        ValidationException: the connector is not installed, cannot read, or refuses the table.
    """
    factory = table_factory(scan.table, context.session.modules.get_table_source_factory)
    if not isinstance(factory, DynamicTableSourceFactory):
        raise ValidationException(f"The connector '{factory.factory_identifier}' of {scan.table.identifier} can only be written to.")
    if not factory.reads_objects_of_program:
        _require_no_objects(scan, factory.factory_identifier)
    try:
        return factory.create_dynamic_table_source(factory_context(scan.table, scan.options, context))
    except TableError as error:
        redact_error(error, {**scan.table.table.options, **scan.options})
        error.message = f"Cannot read {scan.table.identifier}: {error.message}"
        raise


def _require_no_objects(scan: SourceQueryOperation, connector: str) -> None:
    """Refuses RAW columns of a table whose data come from outside: functions would make Python objects of its bytes, which can run anything."""
    # Differs from Flink: the format raw and connectors that read Flink's own rows take RAW columns there.
    for column in scan.resolved_schema.columns:
        if any(isinstance(part, RawType) for part in types_in(column.data_type)):
            raise ValidationException(
                f"Column '{column.name}' of table {scan.table.identifier.as_summary_string()} is {column.data_type}. The connector '{connector}' "
                "reads bytes from outside of the program, of which no Python objects are made.",
                hint="declare the column as BYTES, and decode it in a function",
            )


def _with_metadata(scan: SourceQueryOperation, declared_options: Mapping[str, str]) -> QueryOperation:
    """Applies the metadata columns of a scan to its source; columns declared with another type are cast above the scan.

    In paths of files, references to the environment are shown as in ``declared_options``, not resolved.
    """
    assert scan.source is not None
    where = scan.table.identifier.as_summary_string()
    if not isinstance(scan.source, SupportsReadingMetadata):
        (column, *_) = scan.metadata_columns
        raise ValidationException(
            f"Table {where} has the metadata column '{column.name}', but its connector '{scan.source.as_summary_string()}' has no metadata."
        )
    readable = scan.source.list_readable_metadata()
    for column in scan.metadata_columns:
        if column.key not in readable:
            raise ValidationException.unknown(
                "Metadata key", column.key, sorted(readable), where=f"column '{column.name}' of table {where}"
            )
        if not supports_explicit_cast(readable[column.key], column.data_type):
            raise ValidationException(
                f"The metadata '{column.key}' of table {where} is {readable[column.key]}, which cannot be cast to {column.data_type}."
            )
    width = len(scan.physical_schema.columns)
    metadata = (PhysicalColumn(column.name, readable[column.key]) for column in scan.metadata_columns)
    typed = replace(scan, produced=ResolvedSchema((*scan.resolved_schema.columns[:width], *metadata)))
    keys = [column.key for column in scan.metadata_columns]
    scan.source.apply_readable_metadata(keys, RowType.of([(c.name, c.data_type) for c in typed.resolved_schema.columns], nullable=False))
    before, after = scan.resolved_schema.columns, typed.resolved_schema.columns
    references: list[ResolvedExpression] = [FieldReferenceExpression(c.name, c.data_type, 0, index) for index, c in enumerate(after)]
    unresolved = {key: value for key, value in declared_options.items() if "${env:" in value and not is_secret_key(key)}
    hidden = HiddenValues.of_options(unresolved)
    first = len(references) - len(keys)
    for index, key in enumerate(keys, first):
        if hidden and key in _PATHS:
            references[index] = _hiding(references[index], hidden)
    if before == after and not hidden:
        return typed
    casts = tuple(cast_to(reference, column.data_type) for reference, column in zip(references, before, strict=True))
    return ProjectQueryOperation(casts, tuple(column.name for column in before), typed)


def _hiding(path: ResolvedExpression, hidden: HiddenValues) -> ResolvedExpression:
    """Returns a path with its secret values redacted."""

    text = path.output_type
    for value, shown in hidden.pairs:
        literals = (ValueLiteralExpression(part, CharType(len(part), nullable=False)) for part in (value, shown))
        path = CallExpression(strings.REPLACE, (path, *literals), text)
    return path


def factory_context(table: ContextResolvedTable, options: object, context: RuleContext) -> DynamicTableFactory.Context:
    """Returns the context for the factory: the table with the options of hints merged over its own, and references resolved."""
    resolved = table.table
    declared = {**resolved.options, **options} if isinstance(options, dict) else dict(resolved.options)
    where = f"table {table.identifier}"
    effective = resolve_references(declared, where)
    WatermarkParams.of(effective, where)
    effective = WatermarkParams.without(effective)
    if type(resolved.origin) is not CatalogTable:  # a materialized table: how its refreshes find partitions is not the connector's business
        from table_common.catalog import PARTITION_FIELDS

        effective = {key: value for key, value in effective.items() if not key.startswith(PARTITION_FIELDS)}
    if effective != resolved.options:
        resolved = ResolvedCatalogTable(resolved.origin.copy(effective), resolved.resolved_schema)
    return DynamicTableFactory.Context(table.identifier, resolved, context.session.configuration, table.is_temporary)


def table_factory(table: ContextResolvedTable, of_modules: Callable[[str], DynamicTableFactory | None]) -> DynamicTableFactory:
    """Returns the factory of a table's connector: what ``of_modules`` finds, else the installed one of the version ``connector.version``.

    Raises:
        ValidationException: the table names no connector, or none that is installed.
    """
    options = table.table.options
    named = options.get(FactoryUtil.CONNECTOR.key)
    of_module = of_modules(named) if named is not None else None
    version = options.get(FactoryUtil.version_key(FactoryUtil.CONNECTOR))
    return of_module or DynamicTableFactory.discover(connector_of(table.identifier, table.table), version)


def connector_of(identifier: ObjectIdentifier, table: ResolvedCatalogTable) -> str:
    """Returns the identifier of a table's connector.

    Raises:
        ValidationException: the table has no option 'connector'.
    """
    connector = table.options.get(FactoryUtil.CONNECTOR.key)
    if connector is None:
        installed = ", ".join(DynamicTableFactory.identifiers()) or "none"
        raise ValidationException(
            f"Table {identifier} has no option 'connector', so it can be neither read nor written. Installed connectors: {installed}.",
            hint="WITH ('connector' = 'filesystem', 'path' = '…', 'format' = 'parquet')",
        )
    return connector
