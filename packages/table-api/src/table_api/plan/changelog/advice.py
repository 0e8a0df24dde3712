"""Advice on a streaming plan (EXPLAIN PLAN_ADVICE): growing state, materializers of sinks, and non-deterministic expressions over updates."""

from __future__ import annotations

from collections.abc import Iterator

from table_api.delegation import StreamPlan
from table_api.operations import (
    LookupJoinQueryOperation,
    QueryOperation,
    SinkModifyOperation,
)
from table_api.plan.facts.record import facts_of
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.tree import children_of, preorder


def advice_on(plan: StreamPlan, *, state_expires: bool = False) -> list[str]:
    """Returns sentences for the user: possibly wrong results first, then costs.

    With ``state_expires``, growing state is not reported unless a hint STATE_TTL keeps it forever; without, it is unless a hint lets it expire.
    """
    nodes = {id(node): node for operation in plan.operations for node in preorder(operation.child, QueryOperation)}
    volatile = [text for node in nodes.values() for text in _changing_values(node, plan)]
    sinks = [_materializer(one, plan) for one in plan.operations if isinstance(one, SinkModifyOperation) and one.upsert_materialize]
    state = [text for node in nodes.values() if (text := _growing_state(node, state_expires)) is not None]
    return [*volatile, *sinks, *state]


def _changing_values(node: QueryOperation, plan: StreamPlan) -> Iterator[str]:
    if all(plan.changes_of(child).is_insert_only for child in children_of(node, QueryOperation)):
        return
    if isinstance(node, LookupJoinQueryOperation):
        yield (
            f"{node.summary_name} looks up rows of {node.side.table} again for each retraction. If it finds other rows, earlier results are "
            "not retracted. Do the lookup before the operator that updates rows."
        )
    names = sorted({call.function.name for call in _calls(node) if not call.function.is_deterministic})
    if names:
        yield (
            f"{node.summary_name} evaluates {' and '.join(names)} again for each retraction: the retracted row may differ from the row "
            "that was emitted. Evaluate the function before the operator that updates rows."
        )


def _calls(node: QueryOperation) -> Iterator[CallExpression]:
    for expression in node.expressions:
        for part in preorder(expression, ResolvedExpression):
            if isinstance(part, CallExpression):
                yield part


def _materializer(sink: SinkModifyOperation, plan: StreamPlan) -> str:
    primary = sink.table.table.resolved_schema.primary_key
    assert primary is not None
    names = [column.name for column in sink.consumed_columns]
    upsert = plan.upsert_key_of(sink.child)
    key = f"the upsert key ({', '.join(names[position] for position in upsert)})" if upsert is not None else "no upsert key"
    return (
        f"The sink of {sink.table.identifier.as_summary_string()} keeps all rows of each primary key ({', '.join(primary.columns)}), because the query has {key}. "
        "It needs no such state if the primary key contains the query's upsert key."
    )


def _growing_state(node: QueryOperation, state_expires: bool) -> str | None:
    """Returns a description of the state of a node that grows with the input; None if there is none."""
    describe = facts_of(type(node)).growing_state
    text = None if describe is None else describe(node, state_expires)
    return None if text is None else f"{node.summary_name} keeps {text}"
