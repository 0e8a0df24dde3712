"""The planner SPI (FLIP-32): how an engine is found, asked and run. The mapping to the FLIP's interface is ADR 0002."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from table_api.delegation.expression_services import ExpressionServices, NoExpressionServices
from table_api.delegation.job import ExecutablePlan
from table_api.environment_settings import EnvironmentSettings
from table_api.operations import ModifyOperation, QueryOperation
from table_common.catalog import ObjectIdentifier
from table_common.configuration import Configuration
from table_common.exceptions import TableException
from table_common.factories import Factory
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import EngineFunction, FunctionDefinition

if TYPE_CHECKING:
    from table_common.connector.source import TableStats

__all__ = [
    "ExplainDetail",
    "Planner",
    "PlannerCapabilities",
    "PlannerContext",
    "PlannerFactory",
]


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


def _nothing_known(identifier: ObjectIdentifier) -> TableStats:
    from table_common.connector.source import TableStats

    return TableStats.UNKNOWN


@dataclass(frozen=True, slots=True)
class PlannerContext:
    """What a planner gets: the settings and the session's configuration (live: later SET statements are seen)."""

    settings: EnvironmentSettings
    configuration: Configuration
    external: dict[str, object] = field(default_factory=dict)
    """What a bridge hands to its engine, such as an existing SparkSession under ``spark``."""
    table_statistics: Callable[[ObjectIdentifier], TableStats] = _nothing_known
    """What the catalogs know of the rows of a table; it is asked where a source reports nothing better."""


@dataclass(frozen=True, slots=True)
class PlannerCapabilities:
    """What an engine can run; plans hold nothing else."""

    dynamic_filtering: bool = False
    """Scans that wait for their ``dynamic_filters``. If not, plans have no such filters; rows are the same either way."""
    unbounded_inputs: bool = False
    """Sources that never end. If not, sources are asked for bounded data in both modes."""


class Planner(ABC):
    """Turns operations into something that runs on one engine. Holds whatever the engine needs until ``close``."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The factory identifier, for messages and EXPLAIN."""

    @abstractmethod
    def supports(self, provider: object) -> str | None:
        """Returns None if the engine can run this runtime provider, or the reason why not."""

    @abstractmethod
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        """Plans operations that were rewritten already; several sinks run as one job."""

    @abstractmethod
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        """Returns the engine's own plan as text for a terminal."""

    def rules(self) -> Sequence[Callable[[QueryOperation], QueryOperation]]:
        """Returns the rewrites of this engine; they run after the shared ones, in order, on each query of a statement.

        A rule returns the plan itself if there is nothing to do; EXPLAIN shows its name.
        """
        return ()

    def estimated_rows(self, root: QueryOperation) -> Callable[[QueryOperation], float] | None:
        """Returns what the engine expects how many rows each node of a plan gives; None if it estimates nothing before it runs."""
        return None

    @property
    def capabilities(self) -> PlannerCapabilities:
        """What the engine can run; by default bounded inputs without runtime filters."""
        return PlannerCapabilities()

    @property
    def expressions(self) -> ExpressionServices:
        """What the engine computes while a statement is planned; by default nothing."""
        return NoExpressionServices()

    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        """Returns what a function of an engine, such as one of Hive, is for this planner: it types its calls and is in plans.

        By default the built-in function that equals it.

        Raises:
            TableException: this planner cannot run it; the message says why.
        """
        if function.equivalent is not None:
            return function.equivalent
        reason = function.remark or f"it runs where {function.system.capitalize()}'s own implementation is: on Spark"
        raise TableException(
            f"The planner '{self.name}' cannot run the function {function.name} of {function.system}: {reason}.",
            hint="EnvironmentSettings.new_instance().with_planner('spark')",
        )

    def to_external(self, operation: QueryOperation) -> object:
        """Returns the query in the engine's own form (a DataFrame, say), lazily.

        Raises:
            TableException: the engine has no such form.
        """
        raise TableException(f"The planner '{self.name}' has no external form of a table; use to_arrow() or execute().")

    def close(self) -> None:  # noqa: B027  # a planner without resources has nothing to do
        """Stops what the planner started; called once."""


class PlannerFactory(Factory):
    """Makes planners; the entry point's name is what ``table.planner`` and ``with_planner`` take."""

    GROUP: ClassVar[str] = "table.planners"
    KIND: ClassVar[str] = "planner"

    @abstractmethod
    def matches(self, settings: EnvironmentSettings) -> str | None:
        """Returns None if this planner can serve the settings, or the reason why not; cheap, starts nothing."""

    @abstractmethod
    def create(self, context: PlannerContext) -> Planner:
        """Returns a planner; it may start its engine as late as the first query."""
