"""The entry point ``spark`` of ``table.planners``; imports nothing of Spark until a planner is made."""

from __future__ import annotations

from table_api.delegation import Planner, PlannerContext, PlannerFactory
from table_api.environment_settings import EnvironmentSettings
from table_common.annotation import override

__all__ = ["SparkPlannerFactory"]


class SparkPlannerFactory(PlannerFactory):
    """Makes planners on Apache Spark."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "spark"

    @override
    def matches(self, settings: EnvironmentSettings) -> str | None:
        # In streaming mode, bounded tables are read to their end; a query over an unbounded table is rejected during planning.
        return None

    @override
    def create(self, context: PlannerContext) -> Planner:
        from table_planner_spark.planner import SparkPlanner

        return SparkPlanner(context)
