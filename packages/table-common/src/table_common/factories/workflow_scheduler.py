"""Factories of schedulers of materialized tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from table_common.configuration import ReadableConfig
from table_common.factories.factory import Factory
from table_common.frozen_dataclass import dataclass, field

if TYPE_CHECKING:
    from table_common.catalog import WorkflowScheduler


class WorkflowSchedulerFactory(Factory):
    """Makes schedulers; the entry point's name is the value of ``workflow-scheduler.type``.

    Source: Flink's ``org.apache.flink.table.factories.WorkflowSchedulerFactory``.

    Example:
        >>> class AirflowFactory(WorkflowSchedulerFactory):
        ...     factory_identifier = "airflow"
        ...     def create_workflow_scheduler(self, context):
        ...         return Airflow(context.options["url"])
        >>> AirflowFactory.GROUP
        'table.workflow-schedulers'
    """

    GROUP: ClassVar[str] = "table.workflow-schedulers"
    KIND: ClassVar[str] = "workflow scheduler"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The scheduler's options, without the prefix ``workflow-scheduler.<type>.``, and the session's configuration."""

        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)

    @abstractmethod
    def create_workflow_scheduler(self, context: Context) -> WorkflowScheduler:
        """Returns a scheduler that is not open yet; validates its options.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
