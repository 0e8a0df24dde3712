"""Runs the rewrites that both engines share, in order, once each."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import Planner, Session
from table_api.operations import ModifyOperation
from table_api.plan.context import RuleContext
from table_api.plan.depth import check_depth
from table_api.plan.rules import RULES
from table_api.plan.rules.create_sinks import create_sink
from table_common.frozen_dataclass import replace
from table_common.tree import deep_recursion

__all__ = ["optimize"]


def optimize(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner | None = None, trace: list[str] | None = None
) -> list[ModifyOperation]:
    """Returns the operations rewritten; ``trace``, if given, receives the names of the rules that changed something.

    Raises:
        ValidationException: a table's connector is not installed or its options are wrong: this is the first use of them.
    """
    context = RuleContext(session, planner, trace if trace is not None else [])
    result = []
    with deep_recursion():
        for operation in operations:
            child = operation.child
            check_depth(child)
            for rule in RULES:
                rewritten = rule(child, context)
                if rewritten is not child:
                    context.trace.append(rule.__name__)
                    child = rewritten
            result.append(create_sink(replace(operation, child=child), context))
    return result
