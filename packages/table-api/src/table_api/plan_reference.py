"""Names of ``pyflink.table.plan_reference``."""

from table_api.tables.compiled_plan import PlanReference

__all__ = ["PlanReference"]
