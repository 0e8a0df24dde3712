"""Advice on a streaming plan (EXPLAIN PLAN_ADVICE): state that grows, materialisers of sinks, and values that change between two evaluations."""

from __future__ import annotations

from collections.abc import Iterator

from table_api.delegation import StreamPlan
from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SinkModifyOperation,
)
from table_api.operations.changelog import ChangelogNormalizeQueryOperation, DeduplicateQueryOperation, RankQueryOperation, RankStrategy
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.tree import children_of, preorder

__all__ = ["advice_on"]


def advice_on(plan: StreamPlan, *, state_expires: bool = False) -> list[str]:
    """Returns sentences for the user, the most serious first: wrong results, then costs. State that expires does not grow without bound."""
    nodes = {id(node): node for operation in plan.operations for node in preorder(operation.child, QueryOperation)}
    volatile = [text for node in nodes.values() for text in _changing_values(node, plan)]
    sinks = [_materialiser(one, plan) for one in plan.operations if isinstance(one, SinkModifyOperation) and one.upsert_materialize]
    state = [text for node in nodes.values() if (text := _growing_state(node)) is not None]
    return [*volatile, *sinks, *(() if state_expires else state)]


def _changing_values(node: QueryOperation, plan: StreamPlan) -> Iterator[str]:
    if all(plan.changes_of(child).is_insert_only for child in children_of(node, QueryOperation)):
        return
    if isinstance(node, LookupJoinQueryOperation):
        yield (
            f"{node.summary_name} looks up rows of {node.side.table} again when a row is taken back, and may then find other rows: results that were given "
            "before stay. Look up before the operator that updates rows."
        )
    names = sorted({call.function.name for call in _calls(node) if not call.function.is_deterministic})
    if names:
        yield (
            f"{node.summary_name} evaluates {' and '.join(names)} again when a row is taken back: the row that is retracted then differs from the row "
            "that was given. Evaluate the function before the operator that updates rows."
        )


def _calls(node: QueryOperation) -> Iterator[CallExpression]:
    for expression in node.expressions:
        for part in preorder(expression, ResolvedExpression):
            if isinstance(part, CallExpression):
                yield part


def _materialiser(sink: SinkModifyOperation, plan: StreamPlan) -> str:
    primary = sink.table.table.resolved_schema.primary_key
    assert primary is not None
    names = [column.name for column in sink.consumed_columns]
    upsert = plan.upsert_key_of(sink.child)
    key = f"the upsert key ({', '.join(names[position] for position in upsert)})" if upsert is not None else "no upsert key"
    return (
        f"The sink of {sink.table.identifier.as_summary_string()} keeps all rows of each primary key ({', '.join(primary.columns)}), because the query has {key}. "
        "No rows are kept if the primary key contains the query's upsert key."
    )


def _growing_state(node: QueryOperation) -> str | None:
    """Returns a description of the state of a node that grows with the input; None if there is none."""
    where = node.summary_name
    match node:
        case AggregateQueryOperation(grouping=(_, *_)):
            return f"{where} keeps a row for each group ({', '.join(key.name for key in node.grouping)}) as long as the job runs."
        case DistinctQueryOperation():
            return f"{where} keeps each distinct row as long as the job runs."
        case JoinQueryOperation():
            return f"{where} keeps all rows of both inputs as long as the job runs."
        case SetQueryOperation() if not (node.kind is SetOperationType.UNION and node.all):
            return f"{where} keeps each distinct row of its inputs as long as the job runs."
        case ChangelogNormalizeQueryOperation():
            return f"{where} keeps the last row of each key as long as the job runs."
        case DeduplicateQueryOperation():
            return f"{where} keeps a row for each key as long as the job runs."
        case RankQueryOperation() if node.strategy is RankStrategy.RETRACT:
            return f"{where} keeps all rows of each partition as long as the job runs, because its input takes rows back."
        case RankQueryOperation(partition_by=(_, *_)):
            return f"{where} keeps its rows for each partition as long as the job runs."
        case _:
            return None
