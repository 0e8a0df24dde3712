"""Runs the program of the session's mode (``table_api.plan.programs``)."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import ExecutablePlan, Planner, Session, StreamPlan
from table_api.operations import (
    AggregateQueryOperation,
    FilterQueryOperation,
    LookupJoinQueryOperation,
    ModifyOperation,
    ProjectQueryOperation,
    QueryOperation,
    SinkModifyOperation,
    SourceQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.depth import check_depth
from table_api.plan.programs import BATCH, STREAMING, STREAMING_ROWS, Program
from table_common.exceptions import TableException
from table_common.frozen_dataclass import replace
from table_common.tree import deep_recursion, preorder

__all__ = ["optimize", "optimize_stream", "translate"]


def optimize(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner | None = None, trace: list[str] | None = None
) -> list[ModifyOperation]:
    """Returns the rewritten operations; appends the names of the rules that changed the plan to ``trace``.

    Raises:
        ValidationException: a table's connector is not installed or its options are invalid. Sources and sinks are created here first.
    """
    program = STREAMING_ROWS if session.is_streaming_mode else BATCH
    return _run(program, operations, RuleContext(session, planner, trace if trace is not None else []))


def translate(operations: Sequence[ModifyOperation], session: Session, planner: Planner) -> ExecutablePlan:
    """Optimizes the operations and translates them with the planner, on changelogs if the mode and the planner allow it.

    Raises:
        TableException: the planner cannot run the plan; and as ``optimize_stream``.
    """
    stream = optimize_stream(operations, session, planner)
    return planner.translate_stream(stream) if stream is not None else planner.translate(optimize(operations, session, planner))


def optimize_stream(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner, trace: list[str] | None = None
) -> StreamPlan | None:
    """Returns the streaming plan; None if it has to run on rows: the engine lacks changelogs for a node, or nothing in the plan needs them.

    Raises:
        ValidationException: as ``optimize``; or an operator or a sink cannot consume the changes of its input.
    """
    supported = planner.capabilities.changelog_operations
    if not session.is_streaming_mode or not supported:
        return None
    steps: list[str] = []
    optimized = _run(STREAMING, operations, RuleContext(session, planner, steps))
    nodes = [node for operation in optimized for node in preorder(operation.child, QueryOperation)]
    if not all(type(node) in supported and not _is_over_nothing(node) for node in nodes):
        return None
    from table_api.plan.changelog.infer import infer_changes  # most statements of a session may be batch

    with deep_recursion():
        plan = infer_changes(optimized, session.configuration)
    if all(
        type(node) in _STATELESS and plan.changes_of(node).is_insert_only
        for o in plan.operations
        for node in preorder(o.child, QueryOperation)
    ) and not any(isinstance(o, SinkModifyOperation) and (o.upsert_materialize or o.on_conflict) for o in plan.operations):
        return None
    if trace is not None:
        trace += steps
    return plan


def _is_over_nothing(node: QueryOperation) -> bool:
    """Whether a node aggregates no rows to one, which is a constant."""
    if not isinstance(node, AggregateQueryOperation) or not node.is_one_group or not node.skips_no_input:
        return False
    child = node.child
    while isinstance(child, ProjectQueryOperation):
        child = child.child
    return isinstance(child, ValuesQueryOperation) and not child.rows


_STATELESS = frozenset(
    {
        SourceQueryOperation,
        ValuesQueryOperation,
        WatermarkQueryOperation,
        ProjectQueryOperation,
        FilterQueryOperation,
        UnnestQueryOperation,
        LookupJoinQueryOperation,
    }
)
"""Nodes that treat each row alone: without changes of rows, they run in streaming mode as they do in batch mode."""


def _run(program: Program, operations: Sequence[ModifyOperation], context: RuleContext) -> list[ModifyOperation]:
    engine_rules = context.planner.rules() if context.planner is not None and program is not STREAMING else ()
    result = []
    with deep_recursion():
        for operation in operations:
            if program is not STREAMING and isinstance(operation, SinkModifyOperation) and operation.on_conflict is not None:
                raise TableException(
                    f"ON CONFLICT DO {operation.on_conflict} needs changelogs: the embedded engine in streaming mode, and a query without event time."
                )
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
