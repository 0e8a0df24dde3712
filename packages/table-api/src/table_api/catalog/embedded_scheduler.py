"""The scheduler ``embedded``: a process ``sql-client --scheduler`` refreshes the tables of the catalogs that it opens."""

from __future__ import annotations

from table_common.annotation import override
from table_common.catalog import CreateRefreshWorkflow, ObjectIdentifier, WorkflowScheduler
from table_common.factories import WorkflowSchedulerFactory, validate_options


class EmbeddedWorkflowScheduler(WorkflowScheduler):
    """Does nothing: its process reads freshness, status and last refresh of each table in the catalog."""

    @override
    def create_refresh_workflow(self, workflow: CreateRefreshWorkflow) -> str:
        return str(workflow.identifier)

    @override
    def suspend_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        pass

    @override
    def resume_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        pass

    @override
    def delete_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        pass


class EmbeddedWorkflowSchedulerFactory(WorkflowSchedulerFactory):
    """Creates schedulers of the type ``embedded``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "embedded"

    @override
    def create_workflow_scheduler(self, context: WorkflowSchedulerFactory.Context) -> EmbeddedWorkflowScheduler:
        validate_options(context.options, (), (), "the workflow scheduler 'embedded'")
        return EmbeddedWorkflowScheduler()
