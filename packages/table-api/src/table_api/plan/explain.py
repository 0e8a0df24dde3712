"""EXPLAIN: the logical plan before and after the rewrites as trees of text, then the plan of the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

from table_api.delegation import ExplainDetail, Planner, Session, StreamPlan
from table_api.operations import ModifyOperation, Operation, QueryOperation, SinkModifyOperation
from table_api.plan.boundedness import is_unbounded
from table_api.plan.optimizer import optimize, optimize_stream
from table_common.configuration import CheckpointingOptions, ExecutionConfigOptions, PipelineOptions, ReadableConfig, session_time_zone
from table_common.connector import ArrowSinkProvider, FileSinkProvider
from table_common.exceptions import TableException
from table_common.tree import deep_recursion

Details = Callable[[Operation], Iterator[tuple[str, Any]]]
"""Yields the details that the plan shows in parentheses after a node, as pairs of name and value."""


def explain_operations(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner, details: Collection[ExplainDetail] = ()
) -> str:
    """Returns the sections of EXPLAIN.

    ``ESTIMATED_COST`` adds the estimated row count of each node, ``CHANGELOG_MODE`` the kinds of changes that a node emits,
    ``PLAN_ADVICE`` a section with the rewrites that changed the plan and, for a plan with changes, one with advice (``advice_on``);
    ``JSON_EXECUTION_PLAN`` one with the plan as JSON.
    """
    trace: list[str] = []
    stream = optimize_stream(operations, session, planner, trace)
    optimized = list(stream.operations) if stream is not None else optimize(operations, session, planner, trace)
    with deep_recursion():
        sections = [
            ("Abstract Syntax Tree", "\n".join(map(plan_text, operations))),
            (
                "Optimized Logical Plan",
                _plans_text([(one, _shown(one, planner, details, stream, session_time_zone(session.configuration))) for one in optimized]),
            ),
        ]
        if ExplainDetail.PLAN_ADVICE in details:
            sections.append(("Rewrites", "\n".join(trace) or "none"))
            if stream is not None:
                sections.append(("Advice", _advice(stream, session)))
        physical = planner.explain_stream(stream, details) if stream is not None else planner.explain(optimized, details)
        sections.append((f"Physical Plan ({planner.name})", physical.rstrip()))
        if stream is not None and _has_checkpoints(stream, session):
            sections.append(("State", planner.explain_upgrade(stream, job_name(operations, session.configuration))))
        if ExplainDetail.JSON_EXECUTION_PLAN in details:
            sections.append(("Physical Execution Plan", json.dumps(_nodes(optimized), indent=2, ensure_ascii=False)))
    return "\n\n".join(f"== {title} ==\n{text}" for title, text in sections) + "\n"


def _has_checkpoints(stream: StreamPlan, session: Session) -> bool:
    """Whether the plan would run as a job with checkpoints."""
    return (
        session.configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY) is not None
        and any(operation.target_name is not None for operation in stream.operations)
        and is_unbounded(stream.operations, session_time_zone(session.configuration))
    )


def explain_upgrade(operations: Sequence[ModifyOperation], session: Session, planner: Planner) -> str:
    """Returns what a statement would use of the state that its job has: a line per operator.

    Raises:
        TableException: the statement has no state, or would run without checkpoints.
    """
    stream = optimize_stream(operations, session, planner)
    if stream is None or not _has_checkpoints(stream, session):
        raise TableException(
            "The statement would run without checkpoints, so there is no state to compare with.",
            hint="It must be an INSERT that reads an unbounded source, in streaming mode, and 'execution.checkpointing.dir' must be set.",
        )
    with deep_recursion():
        return planner.explain_upgrade(stream, job_name(operations, session.configuration))


def job_name(operations: Sequence[ModifyOperation], configuration: ReadableConfig) -> str:
    """Returns the name of the job that the operations start."""
    names = [operation.target_name for operation in operations if operation.target_name is not None]
    return configuration.get(PipelineOptions.NAME) or (f"insert-into_{','.join(names)}" if names else "collect")


def _advice(stream: StreamPlan, session: Session) -> str:
    from table_api.plan.changelog.advice import advice_on  # needed by this detail alone

    state_expires = session.configuration.get(ExecutionConfigOptions.IDLE_STATE_RETENTION) > timedelta(0)
    return "\n".join(f"{number}. {text}" for number, text in enumerate(advice_on(stream, state_expires=state_expires), 1)) or "none"


def _shown(
    root: ModifyOperation, planner: Planner, details: Collection[ExplainDetail], stream: StreamPlan | None, time_zone: str
) -> Details:
    """Returns the details of nodes in a plan: their own, then those of the explain details requested."""
    rows = planner.estimated_rows(root.child) if ExplainDetail.ESTIMATED_COST in details else None

    def of(node: Operation) -> Iterator[tuple[str, Any]]:
        yield from node.summary_details()
        if isinstance(node, SinkModifyOperation) and node.sink is not None:
            yield from _delivery(node, is_bounded=stream is None, local_time_zone=time_zone)
        if ExplainDetail.CHANGELOG_MODE in details:
            yield "changelogMode", _changes(node, stream)
        if rows is not None and isinstance(node, QueryOperation):
            yield "rowcount", f"{rows(node):.6g}"

    return of


def _delivery(node: SinkModifyOperation, *, is_bounded: bool, local_time_zone: str) -> Iterator[tuple[str, Any]]:
    """Yields the guarantee of the sink, if its connector and not the engine gives one."""
    assert node.sink is not None
    provider = node.sink.get_sink_runtime_provider(node.sink_context(is_bounded=is_bounded, local_time_zone=local_time_zone))
    if isinstance(provider, (ArrowSinkProvider, FileSinkProvider)):
        yield "delivery", provider.delivery


def _changes(node: Operation, stream: StreamPlan | None) -> str:
    if not isinstance(node, QueryOperation):
        return "NONE"
    return str(stream.changes_of(node)) if stream is not None else "I"


def _nodes(operations: Sequence[ModifyOperation]) -> dict[str, Any]:
    """Returns the plan in Flink's JSON form: nodes come after their inputs and refer to them by number."""
    numbers: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []

    def add(node: Operation) -> int:
        if id(node) not in numbers:
            inputs = [add(child) for child in node.children]
            numbers[id(node)] = len(nodes) + 1
            entry: dict[str, Any] = {
                "id": numbers[id(node)],
                "type": node.summary_name,
                "pact": node.pact,
                "contents": f"{node.summary_name}({details_text(node.summary_details())})",
            }
            if inputs:
                entry["predecessors"] = [{"id": number} for number in inputs]
            nodes.append(entry)
        return numbers[id(node)]

    for operation in operations:
        add(operation)
    return {"nodes": nodes}


def plan_text(root: Operation, details: Details | None = None) -> str:
    """Returns one line per node, children indented under their parent; a shared node is printed once and referred to by number.

    Example::

        Project(select=[name])
        +- Filter(where=[age > 30])
           +- TableScan(table=[default_catalog.default_database.t], fields=[name, age])
    """
    return _plans_text([(root, details if details is not None else lambda node: node.summary_details())])


def _plans_text(plans: Sequence[tuple[Operation, Details]]) -> str:
    """Returns the text of several plans, one after the other; a node that they share is printed once."""
    shared = _shared_nodes([root for root, _ in plans])
    numbers: dict[int, int] = {}
    return "\n".join("\n".join(_plan_lines(root, details, shared, numbers)) for root, details in plans)


def _plan_lines(root: Operation, details: Details, shared: set[int], numbers: dict[int, int]) -> Iterator[str]:
    stack: list[tuple[Operation, str, bool]] = [(root, "", True)]
    while stack:
        node, indent, is_last = stack.pop()
        prefix = "" if node is root else f"{indent}+- "
        if id(node) in numbers:
            yield f"{prefix}Reused(#{numbers[id(node)]})"
            continue
        mark = ""
        if id(node) in shared:
            numbers[id(node)] = len(numbers) + 1
            mark = f" #{numbers[id(node)]}"
        yield f"{prefix}{node.summary_name}({details_text(details(node))}){mark}"
        inner = "" if node is root else indent + ("   " if is_last else "|  ")
        children = node.children
        for index in range(len(children) - 1, -1, -1):
            stack.append((children[index], inner, index == len(children) - 1))


def details_text(pairs: Iterator[tuple[str, Any]]) -> str:
    """Returns the details of a node as a plan shows them."""
    return ", ".join(f"{name}=[{', '.join(map(str, value)) if isinstance(value, list) else value}]" for name, value in pairs)


def _shared_nodes(roots: Sequence[Operation]) -> set[int]:
    """Returns the ids of nodes below the roots that have more than one parent."""
    seen: set[int] = set()
    shared: set[int] = set()
    stack = [*roots]
    while stack:
        for child in stack.pop().children:
            if id(child) in seen:
                shared.add(id(child))
            else:
                seen.add(id(child))
                stack.append(child)
    return shared
