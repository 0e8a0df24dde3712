"""The planner SPI (FLIP-32), which engines implement. ADR 0002 describes the mapping to the FLIP's interfaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from table_api.delegation.job import ExecutablePlan
from table_api.environment_settings import EnvironmentSettings
from table_api.operations import ModifyOperation, QueryOperation
from table_common.catalog import ObjectIdentifier
from table_common.configuration import Configuration, TableConfigOptions
from table_common.exceptions import TableException
from table_common.factories import Factory
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import EngineFunction, FunctionDefinition

if TYPE_CHECKING:
    from table_api.delegation.expression_services import ExpressionServices
    from table_api.delegation.stream_plan import StreamPlan
    from table_common.connector import ScanTableSource, VectorSearchCall, VectorSearchFunctionProvider
    from table_common.connector.source import TableStats


class ExplainDetail(Enum):
    """A detail that ``explain`` adds to the plan.

    Example:
        >>> "rows=" in env.sql_query("SELECT 1 AS a").explain(ExplainDetail.ESTIMATED_COST)
        True

    Source: Flink's ``org.apache.flink.table.api.ExplainDetail``.
    """

    ESTIMATED_COST = "ESTIMATED_COST"
    CHANGELOG_MODE = "CHANGELOG_MODE"
    JSON_EXECUTION_PLAN = "JSON_EXECUTION_PLAN"
    PLAN_ADVICE = "PLAN_ADVICE"
    ANALYZE = "ANALYZE"
    """Runs the query and shows what each operator did. Differs from Flink, which has no such detail."""


def _nothing_known(identifier: ObjectIdentifier) -> TableStats:
    from table_common.connector.source import TableStats

    return TableStats.UNKNOWN


@dataclass(frozen=True, slots=True)
class PlannerContext:
    """The context of a planner: the settings and the session's configuration (live: later SET statements take effect).

    Example:
        >>> context = PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration())
        >>> context.table_statistics(ObjectIdentifier("c", "d", "t")).row_count is None
        True

    Source: Flink's ``org.apache.flink.table.factories.PlannerFactory.Context``.
    """

    settings: EnvironmentSettings
    configuration: Configuration
    external: dict[str, object] = field(default_factory=dict)
    """Objects that a bridge passes to its engine, such as an existing SparkSession under ``spark``."""
    table_statistics: Callable[[ObjectIdentifier], TableStats] = _nothing_known
    """Returns the catalog's statistics of a table; used if the source reports none."""

    @property
    def is_streaming_mode(self) -> bool:
        """Whether statements run in streaming mode: that of the settings, until the option 'execution.runtime-mode' is set."""
        mode = self.configuration.get_optional(TableConfigOptions.RUNTIME_MODE)
        return self.settings.is_streaming_mode() if mode is None else mode == "streaming"


@dataclass(frozen=True, slots=True)
class PlannerCapabilities:
    """The capabilities of an engine; plans use only features that they declare.

    Example:
        >>> PlannerCapabilities(dynamic_filtering=True).unbounded_inputs
        False
    """

    dynamic_filtering: bool = False
    """Whether scans support runtime filters (``dynamic_filters``). Without support, plans contain none; the result is the same."""
    changelog_operations: frozenset[type[QueryOperation]] = frozenset()
    """The query nodes that the engine runs on changelogs in streaming mode (``translate_stream``). Plans with other nodes run on rows."""
    shared_scans: bool = False
    """Whether ``translate_stream`` reads a table once for several INSERTs of a statement set. Otherwise each INSERT without state reads it."""
    bounded_changelogs: bool = True
    """Whether plans whose sources all end run on changelogs, too, if they keep state or have changes. Otherwise they run on rows, and give the final ones."""
    unbounded_inputs: bool = False
    """Whether unbounded sources are supported. Without support, sources must be bounded in both modes."""


class Planner(ABC):
    """Translates operations for one engine; owns the engine's resources until ``close``.

    Source: Flink's ``org.apache.flink.table.delegation.Planner``.

    Example:
        >>> env.session.planner.name
        'arrow'
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The factory identifier, for messages and EXPLAIN."""

    @abstractmethod
    def supports(self, provider: object) -> str | None:
        """Returns None if the engine supports the runtime provider, else the reason."""

    @abstractmethod
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        """Translates optimized operations to an executable plan; several sinks form one job."""

    def translate_stream(self, plan: StreamPlan) -> ExecutablePlan:
        """Translates a streaming plan whose nodes are all among ``changelog_operations``.

        Raises:
            TableException: the engine has no changelogs.
        """
        raise TableException(f"The planner '{self.name}' does not run changelogs.")

    def explain_stream(self, plan: StreamPlan, details: Collection[ExplainDetail]) -> str:
        """Returns the engine's own plan of a streaming plan as text for a terminal.

        Raises:
            TableException: the engine has no changelogs.
        """
        raise TableException(f"The planner '{self.name}' does not run changelogs.")

    def explain_upgrade(self, plan: StreamPlan, job: str) -> str:
        """Returns as text what a streaming plan, run as the job of this name, would use of the state in its checkpoints: a line per operator.

        Raises:
            TableException: the engine has no checkpoints.
        """
        raise TableException(f"The planner '{self.name}' has no checkpoints.")

    def stored_jobs(self) -> Sequence[Mapping[str, Any]]:
        """Returns the jobs in the checkpoint folder of the session: name, id, status (``JobStatus``: running in some process, or suspended), since (milliseconds since 1970, or None), epoch,
        path of the last checkpoint, and owner, a sentence that says who runs it. By default none.
        """
        return ()

    @abstractmethod
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        """Returns the engine's own plan as text for a terminal."""

    def rules(self) -> Sequence[Callable[[QueryOperation], QueryOperation]]:
        """Returns the rewrite rules of this engine; they run in order after the shared rules, on each query of a statement.

        A rule returns the same plan object if it changes nothing; EXPLAIN shows its name.
        """
        return ()

    def estimated_rows(self, root: QueryOperation) -> Callable[[QueryOperation], float] | None:
        """Returns a row-count estimator for the nodes of a plan, or None if the engine has no estimates."""
        return None

    @property
    def capabilities(self) -> PlannerCapabilities:
        """The capabilities of the engine; by default bounded inputs without runtime filters."""
        return PlannerCapabilities()

    @property
    def expressions(self) -> ExpressionServices:
        """The engine's evaluation of expressions during planning; by default none."""
        from table_api.delegation.expression_services import NoExpressionServices  # few planners need it

        return NoExpressionServices()

    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        """Resolves an engine-native function, such as a Hive built-in, to the definition used for type inference and in plans.

        By default the equivalent built-in function.

        Raises:
            TableException: this planner does not support the function; the message gives the reason.
        """
        if function.equivalent is not None:
            return function.equivalent
        reason = function.remark or f"it runs where {function.system.capitalize()}'s own implementation is: on Spark"
        raise TableException(
            f"The planner '{self.name}' cannot run the function {function.name} of {function.system}: {reason}.",
            hint="EnvironmentSettings.new_instance().with_planner('spark')",
        )

    def vector_comparison(
        self, scan: ScanTableSource.ScanRuntimeProvider, call: VectorSearchCall, metric: str
    ) -> VectorSearchFunctionProvider | None:
        """Returns what compares vectors with all rows of a bounded scan, by ``COSINE``, ``L2`` or ``INNER_PRODUCT``; None if the engine cannot."""
        return None

    def to_external(self, operation: QueryOperation) -> object:
        """Returns the query as a native object of the engine, such as a DataFrame; does not execute it.

        Raises:
            TableException: the engine has no native form of a query.
        """
        raise TableException(f"The planner '{self.name}' has no native form of a table; use to_arrow() or execute().")

    def close(self) -> None:  # noqa: B027  # a planner without resources has nothing to do
        """Releases the resources of the planner; called once."""


class PlannerFactory(Factory):
    """Creates planners; the name of its entry point is the value of ``table.planner`` and ``with_planner``.

    Source: Flink's ``org.apache.flink.table.factories.PlannerFactory``.

    Example:
        >>> factory = PlannerFactory.discover("arrow")
        >>> factory.matches(EnvironmentSettings.in_batch_mode()) is None
        True
    """

    GROUP: ClassVar[str] = "table.planners"
    KIND: ClassVar[str] = "planner"

    @abstractmethod
    def matches(self, settings: EnvironmentSettings) -> str | None:
        """Returns None if this planner supports the settings, else the reason; starts nothing."""

    def session_options(self, external: Mapping[str, object]) -> Mapping[str, str]:
        """Returns the session options that objects of the program determine unless the settings have them, such as the zone of its session.

        Raises:
            ValidationException: an object has a value that is not supported.
        """
        return {}

    @abstractmethod
    def create(self, context: PlannerContext) -> Planner:
        """Returns a planner; the engine may start as late as the first query."""
