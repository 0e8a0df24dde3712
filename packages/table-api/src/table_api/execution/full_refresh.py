"""REFRESH: a batch job replaces the rows of a materialized table, or of one partition, as one change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from table_api.execution.derived_session import derived_session
from table_api.execution.refresh_state import record
from table_api.execution.session import TableSession
from table_api.operations import ContextResolvedTable, QueryOperation, SinkModifyOperation
from table_api.resolution.fitted_query import fitted_to_table
from table_api.table_result import TableResult
from table_common.catalog import CatalogMaterializedTable, CatalogPartitionSpec, ObjectIdentifier
from table_common.configuration import TableConfigOptions
from table_common.connector import DynamicTableSink
from table_common.connector.sink.abilities import StagedTable, StagingPurpose, SupportsOverwrite, SupportsPartitioning, SupportsStaging
from table_common.exceptions import TableError, ValidationException
from table_common.factories import FactoryUtil
from table_common.frozen_dataclass import replace
from table_common.types import quote_identifier, quote_string


def full_refresh(
    identifier: ObjectIdentifier, table: CatalogMaterializedTable, partition: CatalogPartitionSpec, session: TableSession
) -> TableResult:
    """Starts the job that writes the rows of the query over those of a table, or those of the partitions with the values of ``partition``.

    Raises:
        ValidationException: the query cannot be resolved any more, or the connector cannot overwrite rows.
    """
    if session.is_streaming_mode:
        session = derived_session(session, {TableConfigOptions.RUNTIME_MODE.key: "batch"})
    started = datetime.now(UTC)
    query = refreshed_rows(identifier, table, partition, session)
    insertion, staged = _overwriting(identifier, table, query, partition, session)

    def finish(failure: BaseException | None) -> None:
        if staged is not None:
            _end(staged, failure)
        if failure is None and not partition.partition_spec:
            record(identifier, session, last_refresh=started.isoformat())

    if staged is None:
        return session.run_inserts([insertion], finish=finish)
    staged.begin()
    return _or_abort(staged, lambda: session.run_inserts([insertion], finish=finish))


def refreshed_rows(
    identifier: ObjectIdentifier, table: CatalogMaterializedTable, partition: CatalogPartitionSpec, session: TableSession
) -> QueryOperation:
    """Returns the query of a table, of some of its partitions only, with the columns of the table.

    Raises:
        ValidationException: a table or function of the query does not exist any more, or has changed.
    """
    text = table.definition_query
    if partition.partition_spec:
        conditions = " AND ".join(_condition(table, key, value) for key, value in partition.partition_spec.items())
        text = f"SELECT * FROM ({text}) AS `q` WHERE {conditions}"
    try:
        return fitted_to_table(session.convert_query(text), table)
    except TableError as error:
        raise ValidationException(
            f"The materialized table {identifier} cannot be refreshed: {error.message}",
            hint="create what its query reads again, or ALTER MATERIALIZED TABLE … AS another query",
        ) from error


def _condition(table: CatalogMaterializedTable, key: str, value: str | None) -> str:
    column = next(column for column in table.schema.columns if column.name == key)
    name = f"`q`.{quote_identifier(key)}"
    if value is None:
        return f"{name} IS NULL"
    type_ = column.data_type if isinstance(column.data_type, str) else column.data_type and column.data_type.serializable()
    return f"{name} = CAST({quote_string(value)} AS {type_})"


def _overwriting(
    identifier: ObjectIdentifier,
    table: CatalogMaterializedTable,
    query: QueryOperation,
    partition: CatalogPartitionSpec,
    session: TableSession,
) -> tuple[SinkModifyOperation, StagedTable | None]:
    """Returns the insertion, and what publishes its rows if all are replaced."""
    from table_api.plan.rules.create_sinks import prepare_sink
    from table_api.resolution.insertion import insert_into_table

    sink = check_overwriting(identifier, table, session)
    resolved = ContextResolvedTable(identifier, session.catalog_manager.schema_resolver.resolve_table(table))
    insertion = insert_into_table(resolved, query, static_partition={}, options={})
    if partition.partition_spec:
        values = {key: value for key, value in partition.partition_spec.items() if value is not None}
        return replace(insertion, overwrite=True, static_partition=values), None
    if isinstance(sink, SupportsStaging):
        insertion = prepare_sink(insertion, sink)
        return insertion, sink.apply_staging(SupportsStaging.StagingContext(StagingPurpose.REPLACE_TABLE_AS))
    return replace(insertion, overwrite=True), None


def check_overwriting(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> DynamicTableSink:
    """Returns the sink of a materialized table.

    Raises:
        ValidationException: it cannot overwrite rows, or an option is wrong.
    """
    from table_api.plan.connectors_supporting import connectors_supporting
    from table_api.plan.rules.create_sinks import table_sink

    resolved = ContextResolvedTable(identifier, session.catalog_manager.schema_resolver.resolve_table(table))
    sink = table_sink(resolved, {}, session.rule_context())
    if not isinstance(sink, SupportsOverwrite) or (table.partition_keys and not isinstance(sink, SupportsPartitioning)):
        connector = table.options.get(FactoryUtil.CONNECTOR.key)
        what = f"overwrite {'partitions' if table.partition_keys else 'rows'}"
        raise ValidationException(
            f"The materialized table {identifier} cannot be refreshed in full: the connector '{connector}' cannot {what}.",
            hint=connectors_supporting("INSERT OVERWRITE", SupportsOverwrite),
        )
    return sink


def _end(staged: StagedTable, failure: BaseException | None) -> None:
    if failure is not None:
        staged.abort()
        return
    try:
        staged.commit()
    except BaseException:
        staged.abort()
        raise


def _or_abort(staged: StagedTable, start: Callable[[], TableResult]) -> TableResult:
    try:
        return start()
    except BaseException:
        staged.abort()
        raise
