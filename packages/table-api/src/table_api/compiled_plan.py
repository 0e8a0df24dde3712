"""Names of ``pyflink.table.compiled_plan``."""

from table_api.tables.compiled_plan import CompiledPlan, PlanReference

__all__ = ["CompiledPlan", "PlanReference"]
