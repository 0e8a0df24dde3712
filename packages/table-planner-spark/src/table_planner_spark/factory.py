"""The entry point ``spark`` of ``table.planners``; imports nothing of Spark until a planner is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from table_api.delegation import Planner, PlannerContext, PlannerFactory
from table_api.environment_settings import EnvironmentSettings
from table_common.annotation import override
from table_common.configuration import TableConfigOptions, normalize_zone


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
    def session_options(self, external: Mapping[str, object]) -> Mapping[str, str]:
        session = external.get("spark")
        if session is None:
            return {}
        from pyspark.sql import SparkSession

        from table_api_bridge import is_spark_connect

        if not isinstance(session, SparkSession) and not is_spark_connect(session):  # refused with the first statement
            return {}
        return {
            TableConfigOptions.LOCAL_TIME_ZONE.key: normalize_zone(
                cast("SparkSession", session).conf.get("spark.sql.session.timeZone") or "UTC"
            )
        }

    @override
    def create(self, context: PlannerContext) -> Planner:
        from table_planner_spark.planner import SparkPlanner

        return SparkPlanner(context)
