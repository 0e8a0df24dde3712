"""Runs the program of the session's mode (``table_api.plan.programs``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from table_api.delegation import ExecutablePlan, Planner, Session
from table_api.operations import (
    ModifyOperation,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.programs import BATCH, Program, create_sources
from table_common.configuration import session_time_zone
from table_common.exceptions import TableException
from table_common.expressions import calls_of
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import temporal
from table_common.tree import deep_recursion, fold, nodes_of, preorder, require_plan_depth

if TYPE_CHECKING:
    from table_api.delegation import StreamPlan


def optimize(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner | None = None, trace: list[str] | None = None
) -> list[ModifyOperation]:
    """Returns the rewritten operations; appends the names of the rules that changed the plan to ``trace``.

    Raises:
        ValidationException: a table's connector is not installed or its options are invalid. Sources and sinks are created here first.
    """
    program = BATCH
    if session.is_streaming_mode:
        from table_api.plan.streaming_programs import STREAMING_ROWS  # its rules are not for batch mode

        program = STREAMING_ROWS
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
    """Returns the streaming plan; None if it runs on rows: the engine has no changelogs, or all sources end and no node keeps state or has changes.

    Raises:
        ValidationException: as ``optimize``; or an operator or a sink cannot consume the changes of its input.
        TableException: the engine runs streaming plans on changelogs, but not a node of this one.
    """
    supported = planner.capabilities.changelog_operations
    if not session.is_streaming_mode or not supported:
        return None
    capabilities = planner.capabilities
    if not capabilities.bounded_changelogs and not _reads_unbounded(operations, session, planner):
        return None
    steps: list[str] = []
    from table_api.plan.streaming_programs import STREAMING  # its rules are not for batch mode

    optimized = _run(STREAMING, operations, RuleContext(session, planner, steps))
    for operation in optimized:
        for node in preorder(operation.child, QueryOperation):
            if type(node) not in supported:
                raise TableException(
                    f"The engine {planner.name} does not run {node.summary_name} in streaming mode.", hint="Run the query in batch mode."
                )
    from table_api.plan.changelog.infer import infer_changes  # most statements of a session may be batch

    with deep_recursion():
        plan = infer_changes(optimized, session.configuration)
    from table_api.plan.boundedness import is_unbounded  # batch plans are bounded

    if (
        not _keeps_state(plan)
        and not (capabilities.shared_scans and _shares_nodes(plan))
        and not (capabilities.unbounded_inputs and is_unbounded(optimized, session_time_zone(session.configuration)))
    ):
        return None
    if trace is not None:
        trace += steps
    return plan


def _reads_unbounded(operations: Sequence[ModifyOperation], session: Session, planner: Planner) -> bool:
    """Whether a source is unbounded, before anything is pushed into it."""
    context = RuleContext(session, planner, [])
    with deep_recursion():
        created = [replace(operation, child=create_sources(operation.child, context)) for operation in operations]
    from table_api.plan.boundedness import is_unbounded  # batch plans are bounded

    return is_unbounded(created, session_time_zone(session.configuration))


def _keeps_state(plan: StreamPlan) -> bool:
    """Whether the plan has changes of rows, a node that remembers rows, or a call that depends on the rows before."""
    # They treat each row alone: without changes of rows, they run in streaming mode as they do in batch mode.
    from table_api.operations import STATELESS_OPERATIONS, ExternalQueryOperation  # batch plans need no classes of all nodes

    row_by_row = {SourceQueryOperation, ValuesQueryOperation, *STATELESS_OPERATIONS}
    return any(operation.keeps_rows for operation in plan.operations) or not all(
        (type(node) in row_by_row or isinstance(node, ExternalQueryOperation))
        and plan.changes_of(node).is_insert_only
        and not calls_of(temporal.CURRENT_WATERMARK, node.expressions)
        for operation in plan.operations
        for node in preorder(operation.child, QueryOperation)
    )


def _shares_nodes(plan: StreamPlan) -> bool:
    """Whether several operations read one node that reads a table."""
    seen: set[int] = set()
    for operation in plan.operations:
        nodes = {id(node) for node in nodes_of(operation.child, QueryOperation, SourceQueryOperation)}
        if not seen.isdisjoint(nodes):
            return True
        seen |= nodes
    return False


def _run(program: Program, operations: Sequence[ModifyOperation], context: RuleContext) -> list[ModifyOperation]:
    with deep_recursion():
        for operation in operations:
            if not program.is_on_changelogs and operation.conflict_strategy is not None:
                raise _conflicts_without_changelogs(operation.conflict_strategy, is_streaming_mode=context.session.is_streaming_mode)
            _check_depth(operation.child)
        queries = [operation.child for operation in operations]
        if program.is_one_plan_per_statement_set:
            from table_api.plan.statement_set import as_one_plan, plans_of  # batch mode plans each statement alone

            queries = [*plans_of(_rewritten(program, as_one_plan(queries), context))]
        else:
            queries = [_rewritten(program, query, context) for query in queries]
        return [program.sink(replace(operation, child=query), context) for operation, query in zip(operations, queries, strict=True)]


def _check_depth(root: QueryOperation) -> None:
    """Refuses a plan that is too deep: engines nest generated SQL and recursive calls once per level, and both are limited.

    Raises:
        ValidationException: more than ``MAX_PLAN_DEPTH`` operations are nested in each other.
    """

    def combine(node: QueryOperation, children: Sequence[int]) -> int:
        return 1 + max(children, default=0)

    require_plan_depth(fold(root, QueryOperation, combine))


def _conflicts_without_changelogs(action: str, *, is_streaming_mode: bool) -> TableException:
    clause = f"ON CONFLICT DO {action}"
    if is_streaming_mode:
        return TableException(
            f"{clause} needs changelogs, which this engine does not have for the statement.", hint="Leave out the clause."
        )
    return TableException(
        f"{clause} needs changelogs, which exist in streaming mode only.",
        hint="SET 'execution.runtime-mode' = 'streaming', or leave out the clause.",
    )


def _rewritten(program: Program, plan: QueryOperation, context: RuleContext) -> QueryOperation:
    for phase in program.phases:
        if phase.needs_inputs and _is_select_without_from(plan):
            continue
        for rule in phase.rules:
            plan = _traced(rule.__name__, plan, rule(plan, context), context)
    if context.planner is not None and not program.is_on_changelogs:
        for engine_rule in context.planner.rules():
            plan = _traced(engine_rule.__name__, plan, engine_rule(plan), context)
    return plan


def _is_select_without_from(plan: QueryOperation) -> bool:
    """Returns whether the plan is a projection of one row, with at most one column."""
    values = plan.child if isinstance(plan, ProjectQueryOperation) else plan
    return isinstance(values, ValuesQueryOperation) and len(values.rows) == 1 and len(values.schema.columns) <= 1


def _traced(name: str, plan: QueryOperation, rewritten: QueryOperation, context: RuleContext) -> QueryOperation:
    if rewritten is not plan:
        context.trace.append(name)
    return rewritten
