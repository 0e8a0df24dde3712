"""Names of ``pyflink.table.plan_reference``."""

from table_api.compiled_plan import PlanReference

__all__ = ["PlanReference"]
