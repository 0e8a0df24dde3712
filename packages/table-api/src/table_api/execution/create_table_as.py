"""CREATE TABLE AS and REPLACE TABLE AS; atomic if the sink supports staging."""

from __future__ import annotations

import threading
from collections.abc import Callable

from table_api.catalog.warehouse import with_managed_options
from table_api.execution.drop import require_ordinary
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations import ContextResolvedTable, QueryOperation, SourceQueryOperation
from table_api.operations.ddl import CreateTableAsOperation
from table_api.table_result import TableResult
from table_common.configuration import TableConfigOptions
from table_common.connector.sink.abilities import StagedTable, StagingPurpose, SupportsOverwrite, SupportsStaging, SupportsTruncate
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, FactoryUtil
from table_common.frozen_dataclass import replace
from table_common.tree import nodes_of


@execute.register(CreateTableAsOperation)
def _create_table_as(operation: CreateTableAsOperation, session: TableSession) -> TableResult:
    table, manager = operation.table, session.catalog_manager
    catalog = manager.find_catalog(table.identifier.catalog_name)
    managed = with_managed_options(table.catalog_table, catalog, table.identifier.to_object_path())
    if managed is not table.catalog_table:
        return _create_table_as(replace(operation, table=replace(table, catalog_table=managed)), session)
    require_ordinary(table.identifier, session, "CREATE OR ALTER MATERIALIZED TABLE")
    existing = manager.get_object(table.identifier)
    if not operation.create and existing is None:
        raise manager.table_not_found(table.identifier.parts)
    if existing is not None and not operation.replace:
        return ok() if table.ignore_if_exists else _in_two_steps(operation, session)  # whose first step reports that the table exists
    # Differs from Flink: REPLACE TABLE AS is atomic wherever the sink can stage; Flink inserts beside the old rows without the option.
    if existing is not None or session.config.get(TableConfigOptions.TABLE_RTAS_CTAS_ATOMICITY_ENABLED):
        result = _staged(operation, session)
        if result is not None:
            return result
    return _in_two_steps(operation, session)


def _in_two_steps(operation: CreateTableAsOperation, session: TableSession) -> TableResult:
    """Creates the table, then fills it; if the job fails, the catalog is as it was."""
    from table_api.resolution.insertion import build_insert

    table, manager = operation.table, session.catalog_manager
    existing = manager.get_object(table.identifier) if operation.replace else None
    overwrite = existing is not None and _replaces_rows(operation, session)
    if existing is not None:
        manager.drop_table(table.identifier, is_temporary=existing[1])
    try:
        manager.create_table(table.identifier, table.catalog_table, is_temporary=table.is_temporary)
    except BaseException:
        if existing is not None:
            manager.create_table(table.identifier, existing[0], is_temporary=existing[1])
        raise

    is_restored = threading.Event()

    def restore(failure: BaseException | None) -> None:
        # Differs from Flink: CREATE TABLE AS that fails leaves no table, which would block its own repetition.
        if failure is None or is_restored.is_set():
            return
        is_restored.set()
        manager.drop_table(table.identifier, True, table.is_temporary)
        if existing is not None:
            manager.create_table(table.identifier, existing[0], is_temporary=existing[1])

    try:
        insertion = build_insert(session, table.identifier.parts, operation.child, overwrite=overwrite)
        return session.run_inserts([insertion], finish=restore)
    except BaseException as error:
        restore(error)
        raise


def _replaces_rows(operation: CreateTableAsOperation, session: TableSession) -> bool:
    """Returns whether INSERT OVERWRITE replaces the old rows; if the sink does not support it, truncates the table here.

    Raises:
        ValidationException: the sink supports neither, or the query reads the table that would be truncated first.
    """
    from table_api.plan.connectors_supporting import connectors_supporting
    from table_api.plan.rules.create_sinks import table_sink
    from table_api.plan.rules.create_sources import table_factory

    table = operation.table
    resolved = ContextResolvedTable(table.identifier, session.catalog_manager.schema_resolver.resolve_table(table.catalog_table))
    sink = table_sink(resolved, {}, session.rule_context())
    if isinstance(sink, SupportsOverwrite):
        return True
    connector = table.catalog_table.options.get(FactoryUtil.CONNECTOR.key)
    if not isinstance(sink, SupportsTruncate):
        if not isinstance(table_factory(resolved, _factory_of_modules(session)), DynamicTableSourceFactory):
            return False  # the written rows cannot be read
        raise ValidationException(
            f"REPLACE TABLE AS is not supported by the connector '{connector}' of {table.identifier}: its old rows would stay.",
            hint=connectors_supporting("REPLACE TABLE AS", SupportsStaging, SupportsOverwrite, SupportsTruncate),
        )
    sources = nodes_of(operation.child, QueryOperation, SourceQueryOperation)
    if any(source.table.identifier == table.identifier for source in sources):
        raise ValidationException(
            f"The query reads {table.identifier}, which the connector '{connector}' can only truncate before the query runs.",
            hint="CREATE TABLE AS with another name, or a temporary table, keeps the rows meanwhile",
        )
    sink.execute_truncation()
    return False


def _factory_of_modules(session: TableSession) -> Callable[[str], DynamicTableFactory | None]:
    """Returns a function that finds the factory of a connector in the session's modules, a source factory first."""
    modules = session.modules
    return lambda identifier: modules.get_table_source_factory(identifier) or modules.get_table_sink_factory(identifier)


def _staged(operation: CreateTableAsOperation, session: TableSession) -> TableResult | None:
    """Writes to a staged table and publishes it when the job has ended; None if the sink does not support staging."""
    from table_api.plan.rules.create_sinks import prepare_sink, table_sink
    from table_api.resolution.insertion import insert_into_table

    table, manager = operation.table, session.catalog_manager
    resolved = ContextResolvedTable(table.identifier, manager.schema_resolver.resolve_table(table.catalog_table))
    sink = table_sink(resolved, {}, session.rule_context())
    if not isinstance(sink, SupportsStaging):
        return None
    insertion = prepare_sink(insert_into_table(resolved, operation.child, static_partition={}, options={}), sink)
    staged = sink.apply_staging(SupportsStaging.StagingContext(_purpose(operation)))

    def finish(failure: BaseException | None) -> None:
        if failure is not None:
            staged.abort()
            return
        _publish(operation, session, staged)

    staged.begin()
    started = False
    try:
        result = session.run_inserts([insertion], finish=finish)
        started = True
        return result
    finally:
        if not started:
            staged.abort()


def _publish(operation: CreateTableAsOperation, session: TableSession, staged: StagedTable) -> None:
    """Publishes the rows, then the table, so that a table in the catalog always has its rows."""
    table, manager = operation.table, session.catalog_manager
    try:
        staged.commit()
    except BaseException:
        staged.abort()
        raise
    existing = manager.get_object(table.identifier)
    if existing is not None and operation.replace:
        manager.drop_table(table.identifier, is_temporary=existing[1])
    manager.create_table(table.identifier, table.catalog_table, table.ignore_if_exists, table.is_temporary)


def _purpose(operation: CreateTableAsOperation) -> StagingPurpose:
    if operation.replace:
        return StagingPurpose.CREATE_OR_REPLACE_TABLE_AS if operation.create else StagingPurpose.REPLACE_TABLE_AS
    return StagingPurpose.CREATE_TABLE_AS_IF_NOT_EXISTS if operation.table.ignore_if_exists else StagingPurpose.CREATE_TABLE_AS
