"""Statements about materialized tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from table_api.catalog.warehouse import with_managed_options
from table_api.execution.continuous_refresh import last_checkpoint, new_handler, new_job_name, start_job, stop_job, updates_rows
from table_api.execution.drop import drop_with_rows
from table_api.execution.full_refresh import check_overwriting, full_refresh
from table_api.execution.local_result import ok, rows_of
from table_api.execution.refresh_state import last_refresh, materialized_table, record
from table_api.execution.refresh_workflow import create_workflow, delete_workflow, replace_workflow, resume_workflow, suspend_workflow
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import (
    AlterMaterializedTableOperation,
    CreateMaterializedTableOperation,
    DropMaterializedTableOperation,
    RefreshMaterializedTableOperation,
    ResumeMaterializedTableOperation,
    SuspendMaterializedTableOperation,
)
from table_api.table_result import TableResult
from table_common.catalog import CatalogMaterializedTable, ObjectIdentifier, RefreshMode, RefreshStatus
from table_common.configuration import MaterializedTableConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import FactoryUtil
from table_common.types import BooleanType, LocalZonedTimestampType, LogicalType, VarCharType

_COLUMNS: tuple[tuple[str, LogicalType], ...] = (
    ("materialized table name", VarCharType()),
    ("refresh mode", VarCharType()),
    ("refresh status", VarCharType()),
    ("freshness", VarCharType()),
    ("last refresh", LocalZonedTimestampType(3)),
    ("stale", BooleanType()),
)


@execute.register(CreateMaterializedTableOperation)
def _create(operation: CreateMaterializedTableOperation, session: TableSession) -> TableResult:
    identifier, manager = operation.identifier, session.catalog_manager
    existing = manager.get_object(identifier)
    if existing is not None:
        if operation.ignore_if_exists:
            return ok()
        manager.create_table(identifier, operation.table)  # reports that it exists
    created = {"created": datetime.now(UTC).isoformat()}
    if operation.table.refresh_mode is RefreshMode.FULL:
        table = _stored(identifier, operation.table, session, "json")
        check_overwriting(identifier, table, session)
        _create_refreshed_in_full(identifier, table, created, session)
        return ok()
    handler = {**created, **new_handler(identifier, session)}
    changes = updates_rows(identifier, operation.table, session)
    table = _stored(identifier, operation.table, session, "debezium-json" if changes else "json").with_refresh(
        RefreshStatus.INITIALIZING, handler
    )
    manager.create_table(identifier, table)
    try:
        start_job(identifier, table, session)
    except BaseException:
        drop_with_rows(identifier, session, True)
        raise
    return ok()


def _create_refreshed_in_full(
    identifier: ObjectIdentifier, table: CatalogMaterializedTable, handler: dict[str, str], session: TableSession
) -> None:
    manager = session.catalog_manager
    if not session.configuration.get(MaterializedTableConfigOptions.WORKFLOW_SCHEDULER_TYPE):
        manager.create_table(identifier, table.with_refresh(RefreshStatus.ACTIVATED, handler))
        return
    manager.create_table(identifier, table.with_refresh(RefreshStatus.INITIALIZING, handler))
    try:
        record(identifier, session, RefreshStatus.ACTIVATED, **create_workflow(identifier, table, session))
    except BaseException:
        drop_with_rows(identifier, session, True)
        raise


def _stored(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession, format_: str) -> CatalogMaterializedTable:
    """Returns the table with the connector and the format of its rows."""
    if FactoryUtil.CONNECTOR.key in table.options:
        return table
    stored = with_managed_options(table, session.catalog_manager.get_catalog(identifier.catalog_name), identifier.to_object_path())
    if stored is table:
        raise ValidationException(
            f"The materialized table {identifier} has no 'connector', and its catalog keeps no rows.",
            hint="WITH ('connector' = …), or a catalog with 'type' = 'sqlite' and a 'warehouse'",
        )
    return stored.copy({"format": format_, **stored.options})


@execute.register(AlterMaterializedTableOperation)
def _alter(operation: AlterMaterializedTableOperation, session: TableSession) -> TableResult:
    identifier, old, new = operation.identifier, operation.old_table, operation.new_table
    if old.refresh_mode is RefreshMode.FULL:
        if new.freshness != old.freshness:
            workflow = replace_workflow(identifier, new, session)
            new = new.with_refresh(new.refresh_status, {**new.refresh_handler, **workflow})
        session.catalog_manager.alter_table(identifier, new, expected=old)
        return ok()
    if new.definition_query != old.definition_query:
        changes = updates_rows(identifier, new, session)
        if changes and new.options.get("format") == "json":
            raise ValidationException(
                f"The new query of the materialized table {identifier} changes rows, which its format 'json' cannot write.",
                hint="DROP MATERIALIZED TABLE and CREATE it",
            )
    was_active = old.refresh_status is not RefreshStatus.SUSPENDED
    savepoint = stop_job(identifier, old, session, savepoint=new.definition_query == old.definition_query)
    handler = dict(old.refresh_handler)
    if new.definition_query != old.definition_query:  # the state of the old job is that of another query
        handler = {**handler, "job": new_job_name(identifier), "emptied": "false"}
        handler.pop("savepoint", None)
    elif savepoint is not None:
        handler["savepoint"] = savepoint
    altered = new.with_refresh(RefreshStatus.SUSPENDED, handler)
    session.catalog_manager.alter_table(identifier, altered, expected=old)
    if was_active:
        start_job(identifier, materialized_table(identifier, session), session)
    return ok()


@execute.register(SuspendMaterializedTableOperation)
def _suspend(operation: SuspendMaterializedTableOperation, session: TableSession) -> TableResult:
    identifier = operation.identifier
    if operation.ignore_if_not_exists and session.catalog_manager.get_object(identifier) is None:
        return ok()
    table = materialized_table(identifier, session)
    if table.refresh_status is RefreshStatus.SUSPENDED:
        raise ValidationException(f"The materialized table {identifier} is suspended already.", hint="ALTER … RESUME")
    if table.refresh_mode is RefreshMode.FULL:
        suspend_workflow(identifier, table, session)
        record(identifier, session, RefreshStatus.SUSPENDED)
        return ok()
    savepoint = stop_job(identifier, table, session, savepoint=True)
    record(identifier, session, RefreshStatus.SUSPENDED, savepoint=savepoint or table.refresh_handler.get("savepoint"))
    return ok()


@execute.register(ResumeMaterializedTableOperation)
def _resume(operation: ResumeMaterializedTableOperation, session: TableSession) -> TableResult:
    identifier = operation.identifier
    table = materialized_table(identifier, session)
    if table.refresh_mode is RefreshMode.CONTINUOUS:
        if table.refresh_status is RefreshStatus.ACTIVATED and last_checkpoint(table, session)[1]:
            raise ValidationException(f"The materialized table {identifier} is not suspended: its job runs.")
        start_job(identifier, table, session, operation.options)  # also the job of a process that has ended
        return ok()
    if operation.options:
        raise ValidationException(
            f"RESUME WITH options is for materialized tables that are refreshed continuously, but {identifier} is refreshed in full.",
            hint="RESUME without WITH",
        )
    if table.refresh_status is RefreshStatus.ACTIVATED:
        raise ValidationException(f"The materialized table {identifier} is not suspended.", hint="ALTER … REFRESH refreshes it now")
    record(identifier, session, RefreshStatus.ACTIVATED, **resume_workflow(identifier, table, session))
    return ok()


@execute.register(RefreshMaterializedTableOperation)
def _refresh(operation: RefreshMaterializedTableOperation, session: TableSession) -> TableResult:
    table = materialized_table(operation.identifier, session)
    if table.refresh_mode is RefreshMode.CONTINUOUS:
        raise ValidationException(
            f"The materialized table {operation.identifier} is refreshed continuously: its job writes the changes of its rows.",
            hint="ALTER … RESUME starts a job that does not run; ALTER … AS starts over with a query",
        )
    return full_refresh(operation.identifier, table, operation.partition, session)


@execute.register(DropMaterializedTableOperation)
def _drop(operation: DropMaterializedTableOperation, session: TableSession) -> TableResult:
    found = session.catalog_manager.get_object(operation.identifier)
    if found is None and operation.ignore_if_not_exists:
        return ok()
    table = materialized_table(operation.identifier, session)
    if table.refresh_mode is RefreshMode.CONTINUOUS:
        stop_job(operation.identifier, table, session, savepoint=False)
    delete_workflow(operation.identifier, table, session)
    drop_with_rows(operation.identifier, session, operation.ignore_if_not_exists)
    return ok()


def shown_materialized_tables(catalog: str, database: str, names: list[str], session: TableSession) -> TableResult:
    """Returns the result of SHOW MATERIALIZED TABLES: one row per table."""
    # Differs from Flink: modes, status and age stand beside the names, so that a stale table is seen.
    rows: list[tuple[Any, ...]] = []
    for name in names:
        found = session.catalog_manager.get_object(ObjectIdentifier(catalog, database, name))
        if found is None or not isinstance(found[0], CatalogMaterializedTable):
            continue  # dropped meanwhile
        table = found[0]
        if table.refresh_mode is RefreshMode.CONTINUOUS:
            last, runs = last_checkpoint(table, session)
            stale = not runs
        else:
            last = last_refresh(table)
            stale = datetime.now(UTC) - (last or _created(table)) > table.freshness.duration
        rows.append((name, table.refresh_mode.value, table.refresh_status.value, str(table.freshness), last, stale))
    return rows_of(_COLUMNS, rows)


def _created(table: CatalogMaterializedTable) -> datetime:
    return datetime.fromisoformat(table.refresh_handler["created"])
