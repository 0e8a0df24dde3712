"""CREATE TABLE AS and REPLACE TABLE AS: a table and its first rows, at once where the sink can."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations import ContextResolvedTable
from table_api.operations.ddl import CreateTableAsOperation
from table_api.table_result import TableResult
from table_common.configuration import TableConfigOptions
from table_common.connector.sink.abilities import StagedTable, StagingPurpose, SupportsStaging

__all__: list[str] = []


@execute.register(CreateTableAsOperation)
def _create_table_as(operation: CreateTableAsOperation, session: TableSession) -> TableResult:
    table, manager = operation.table, session.catalog_manager
    existing = manager.get_object(table.identifier)
    if not operation.create and existing is None:
        raise manager.table_not_found(table.identifier.parts)
    if existing is not None and not operation.replace:
        return ok() if table.ignore_if_exists else _in_two_steps(operation, session)  # whose first step says that it exists
    if session.config.get(TableConfigOptions.TABLE_RTAS_CTAS_ATOMICITY_ENABLED):
        result = _staged(operation, session, exists=existing is not None)
        if result is not None:
            return result
    if existing is not None:
        manager.drop_table(table.identifier, is_temporary=existing[1])
    return _in_two_steps(operation, session)


def _in_two_steps(operation: CreateTableAsOperation, session: TableSession) -> TableResult:
    """Creates the table, then fills it; a job that fails later leaves the table."""
    from table_api.resolution.insertion import build_insert

    table, manager = operation.table, session.catalog_manager
    manager.create_table(table.identifier, table.catalog_table, is_temporary=table.is_temporary)
    try:
        return session.run_inserts([build_insert(session, table.identifier.parts, operation.child)])
    except BaseException:
        manager.drop_table(table.identifier, True, table.is_temporary)
        raise


def _staged(operation: CreateTableAsOperation, session: TableSession, *, exists: bool) -> TableResult | None:
    """Fills a table that nobody sees and publishes it when the job has ended; None if the sink stages nothing."""
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
    """Makes rows and table visible: the rows first, so that a table in the catalog always has them."""
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
