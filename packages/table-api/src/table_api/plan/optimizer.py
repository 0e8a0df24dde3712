"""Runs the program of the session's mode (``table_api.plan.programs``)."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import Planner, Session
from table_api.operations import ModifyOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.depth import check_depth
from table_api.plan.programs import BATCH, STREAMING
from table_common.frozen_dataclass import replace
from table_common.tree import deep_recursion

__all__ = ["optimize"]


def optimize(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner | None = None, trace: list[str] | None = None
) -> list[ModifyOperation]:
    """Returns the rewritten operations; appends the names of the rules that changed the plan to ``trace``.

    Raises:
        ValidationException: a table's connector is not installed or its options are invalid. Sources and sinks are created here first.
    """
    program = STREAMING if session.is_streaming_mode else BATCH
    context = RuleContext(session, planner, trace if trace is not None else [])
    engine_rules = planner.rules() if planner is not None else ()
    result = []
    with deep_recursion():
        for operation in operations:
            child = operation.child
            check_depth(child)
            for rule in program.rules():
                child = _traced(rule.__name__, child, rule(child, context), context)
            for engine_rule in engine_rules:
                child = _traced(engine_rule.__name__, child, engine_rule(child), context)
            result.append(program.sink(replace(operation, child=child), context))
    return result


def _traced(name: str, plan: QueryOperation, rewritten: QueryOperation, context: RuleContext) -> QueryOperation:
    if rewritten is not plan:
        context.trace.append(name)
    return rewritten
