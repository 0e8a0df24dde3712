"""Compiled plans: insertions as JSON that a later session, on any engine, runs as they were planned. ADR 0012 says what is in them."""

from table_api.plan.compiled.document import PLAN_VERSION, PlanDocument, compile_plan, damaged_plan_reported, read_plan

__all__ = ["PLAN_VERSION", "PlanDocument", "compile_plan", "damaged_plan_reported", "read_plan"]
