"""Statements about materialized tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from table_api.catalog.warehouse import with_managed_options
from table_api.execution.drop import drop_with_rows
from table_api.execution.full_refresh import check_overwriting, full_refresh
from table_api.execution.local_result import ok, rows_of
from table_api.execution.refresh_state import last_refresh, materialized_table, record
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
from table_common.exceptions import TableException, ValidationException
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
    table = _stored(identifier, operation.table, session)
    if table.refresh_mode is RefreshMode.CONTINUOUS:
        raise TableException(
            f"The materialized table {identifier} cannot be refreshed continuously in this version.", hint="REFRESH_MODE = FULL"
        )
    check_overwriting(identifier, table, session)
    manager.create_table(identifier, table.with_refresh(RefreshStatus.ACTIVATED, {"created": datetime.now(UTC).isoformat()}))
    return ok()


def _stored(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> CatalogMaterializedTable:
    """Returns the table with the connector and the format of its rows."""
    if FactoryUtil.CONNECTOR.key in table.options:
        return table
    stored = with_managed_options(table, session.catalog_manager.get_catalog(identifier.catalog_name), identifier.to_object_path())
    if stored is table:
        raise ValidationException(
            f"The materialized table {identifier} has no 'connector', and its catalog keeps no rows.",
            hint="WITH ('connector' = …), or a catalog with 'type' = 'sqlite' and a 'warehouse'",
        )
    return stored.copy({"format": "json", **stored.options})


@execute.register(AlterMaterializedTableOperation)
def _alter(operation: AlterMaterializedTableOperation, session: TableSession) -> TableResult:
    session.catalog_manager.alter_table(operation.identifier, operation.new_table, expected=operation.old_table)
    return ok()


@execute.register(SuspendMaterializedTableOperation)
def _suspend(operation: SuspendMaterializedTableOperation, session: TableSession) -> TableResult:
    if operation.ignore_if_not_exists and session.catalog_manager.get_object(operation.identifier) is None:
        return ok()
    table = materialized_table(operation.identifier, session)
    if table.refresh_status is RefreshStatus.SUSPENDED:
        raise ValidationException(f"The materialized table {operation.identifier} is suspended already.", hint="ALTER … RESUME")
    record(operation.identifier, session, RefreshStatus.SUSPENDED)
    return ok()


@execute.register(ResumeMaterializedTableOperation)
def _resume(operation: ResumeMaterializedTableOperation, session: TableSession) -> TableResult:
    table = materialized_table(operation.identifier, session)
    if table.refresh_status is RefreshStatus.ACTIVATED:
        raise ValidationException(
            f"The materialized table {operation.identifier} is not suspended.", hint="ALTER … REFRESH refreshes it now"
        )
    record(operation.identifier, session, RefreshStatus.ACTIVATED)
    return ok()


@execute.register(RefreshMaterializedTableOperation)
def _refresh(operation: RefreshMaterializedTableOperation, session: TableSession) -> TableResult:
    table = materialized_table(operation.identifier, session)
    return full_refresh(operation.identifier, table, operation.partition, session)


@execute.register(DropMaterializedTableOperation)
def _drop(operation: DropMaterializedTableOperation, session: TableSession) -> TableResult:
    found = session.catalog_manager.get_object(operation.identifier)
    if found is None and operation.ignore_if_not_exists:
        return ok()
    materialized_table(operation.identifier, session)
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
        last = last_refresh(table)
        since = last or _created(table)
        stale = datetime.now(UTC) - since > table.freshness.duration
        rows.append((name, table.refresh_mode.value, table.refresh_status.value, str(table.freshness), last, stale))
    return rows_of(_COLUMNS, rows)


def _created(table: CatalogMaterializedTable) -> datetime:
    return datetime.fromisoformat(table.refresh_handler["created"])
