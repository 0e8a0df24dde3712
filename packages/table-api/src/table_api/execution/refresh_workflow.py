"""The workflows of materialized tables in the scheduler that ``workflow-scheduler.type`` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from table_api.execution.session import TableSession
from table_common.catalog import CatalogMaterializedTable, CreateRefreshWorkflow, ObjectIdentifier, RefreshStatus, WorkflowScheduler
from table_common.configuration import MaterializedTableConfigOptions
from table_common.factories import WorkflowSchedulerFactory


def create_workflow(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> Mapping[str, str]:
    """Creates the workflow of a table, if the session has a scheduler; returns what the table's handler keeps of it.

    Raises:
        ValidationException: the scheduler is not installed, or an option of it is wrong.
    """
    type_ = session.configuration.get(MaterializedTableConfigOptions.WORKFLOW_SCHEDULER_TYPE)
    if not type_:
        return {}
    with _opened(type_, session) as scheduler:
        return {"scheduler": type_, "workflow": scheduler.create_refresh_workflow(CreateRefreshWorkflow(identifier, table.freshness))}


def suspend_workflow(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> None:
    """Suspends the workflow of a table, if it has one."""
    found = _workflow(table)
    if found is not None:
        with _opened(found[0], session) as scheduler:
            scheduler.suspend_refresh_workflow(identifier, found[1])


def resume_workflow(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> Mapping[str, str]:
    """Resumes the workflow of a table, or creates it if the table was created without a scheduler; returns what the handler keeps of it."""
    found = _workflow(table)
    if found is None:
        return create_workflow(identifier, table, session)
    with _opened(found[0], session) as scheduler:
        scheduler.resume_refresh_workflow(identifier, found[1])
    return {}


def delete_workflow(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> None:
    """Deletes the workflow of a table, if it has one."""
    found = _workflow(table)
    if found is not None:
        with _opened(found[0], session) as scheduler:
            scheduler.delete_refresh_workflow(identifier, found[1])


def replace_workflow(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> Mapping[str, str]:
    """Deletes the workflow of a table and creates it with the freshness that ``table`` has now, suspended if the table is."""
    found = _workflow(table)
    if found is None:
        return {}
    type_, handler = found
    with _opened(type_, session) as scheduler:
        scheduler.delete_refresh_workflow(identifier, handler)
        new = scheduler.create_refresh_workflow(CreateRefreshWorkflow(identifier, table.freshness))
        if table.refresh_status is RefreshStatus.SUSPENDED:
            scheduler.suspend_refresh_workflow(identifier, new)
    return {"workflow": new}


def _workflow(table: CatalogMaterializedTable) -> tuple[str, str] | None:
    """Returns the type of the scheduler of a table, which may not be that of the session, and the handler of its workflow."""
    handler = table.refresh_handler
    return (handler["scheduler"], handler["workflow"]) if "workflow" in handler else None


@contextmanager
def _opened(type_: str, session: TableSession) -> Iterator[WorkflowScheduler]:
    prefix = f"workflow-scheduler.{type_}."
    options = {key.removeprefix(prefix): value for key, value in session.configuration.to_map().items() if key.startswith(prefix)}
    context = WorkflowSchedulerFactory.Context(options, session.configuration)
    scheduler = WorkflowSchedulerFactory.discover(type_).create_workflow_scheduler(context)
    scheduler.open()
    try:
        yield scheduler
    finally:
        scheduler.close()
