"""What refreshes materialized tables of the mode FULL at intervals: a scheduler, and the workflows that it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.catalog.identifiers import ObjectIdentifier
    from table_common.catalog.materialized_table import IntervalFreshness


@dataclass(frozen=True, slots=True)
class CreateRefreshWorkflow:
    """A workflow that is to run ``statement`` in a session with the table's catalog, once per ``freshness``.

    Source: Flink's ``org.apache.flink.table.workflow.CreatePeriodicRefreshWorkflow``.

    Example:
        >>> from table_common.catalog import IntervalFreshness, ObjectIdentifier
        >>> identifier = ObjectIdentifier("shop", "default", "revenue")
        >>> CreateRefreshWorkflow(identifier, IntervalFreshness(1, "HOUR")).statement
        'ALTER MATERIALIZED TABLE `shop`.`default`.`revenue` REFRESH'
    """

    identifier: ObjectIdentifier
    freshness: IntervalFreshness

    @property
    def statement(self) -> str:
        """The statement that refreshes all rows; ``PARTITION (column = 'value')`` behind it refreshes a partition."""
        return f"ALTER MATERIALIZED TABLE {self.identifier} REFRESH"


class WorkflowScheduler(ABC):
    """Refreshes materialized tables of the mode FULL. The catalog keeps for each table the text, its handler, with which the scheduler finds its workflow.

    A statement opens a scheduler, calls it, and closes it. It changes the catalog after the scheduler, and only if there was no error, so it may be
    repeated after an end of the process: each method must accept a workflow that has the wanted state already.

    Source: Flink's ``org.apache.flink.table.workflow.WorkflowScheduler``.

    Example:
        >>> class Printing(WorkflowScheduler):
        ...     def create_refresh_workflow(self, workflow):
        ...         print("every", workflow.freshness)
        ...         return workflow.identifier.object_name
        ...     def suspend_refresh_workflow(self, identifier, handler):
        ...         print("suspend", handler)
        ...     def resume_refresh_workflow(self, identifier, handler):
        ...         print("resume", handler)
        ...     def delete_refresh_workflow(self, identifier, handler):
        ...         print("delete", handler)
        >>> from table_common.catalog import IntervalFreshness, ObjectIdentifier
        >>> identifier = ObjectIdentifier("shop", "default", "revenue")
        >>> handler = Printing().create_refresh_workflow(CreateRefreshWorkflow(identifier, IntervalFreshness(1, "HOUR")))
        every INTERVAL '1' HOUR
        >>> Printing().suspend_refresh_workflow(identifier, handler)
        suspend revenue
    """

    def open(self) -> None:  # noqa: B027  # a scheduler without connections has nothing to do
        """Connects; called once, before anything else."""

    def close(self) -> None:  # noqa: B027
        """Closes connections; called once, at the end."""

    @abstractmethod
    def create_refresh_workflow(self, workflow: CreateRefreshWorkflow) -> str:
        """Creates a workflow, which runs from now on, and returns its handler."""

    @abstractmethod
    def suspend_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        """Stops the workflow of a table until it is resumed."""

    @abstractmethod
    def resume_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        """Lets the workflow of a table run again."""

    @abstractmethod
    def delete_refresh_workflow(self, identifier: ObjectIdentifier, handler: str) -> None:
        """Deletes the workflow of a table."""
