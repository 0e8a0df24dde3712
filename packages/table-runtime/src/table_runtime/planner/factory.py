"""The factory of the embedded engine, registered as the entry point ``arrow``."""

from __future__ import annotations

from table_api import EnvironmentSettings
from table_api.delegation import Planner, PlannerContext, PlannerFactory
from table_common.annotation import override


class ArrowPlannerFactory(PlannerFactory):
    """Creates the planner that runs queries in this process."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "arrow"

    @override
    def matches(self, settings: EnvironmentSettings) -> str | None:
        # In streaming mode, bounded inputs run to their end; unbounded inputs are rejected during planning.
        return None

    @override
    def create(self, context: PlannerContext) -> Planner:
        from table_runtime.planner.planner import ArrowPlanner

        return ArrowPlanner(context)
