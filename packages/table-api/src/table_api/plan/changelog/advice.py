"""Advice on a streaming plan (EXPLAIN PLAN_ADVICE): growing state, materializers of sinks, and non-deterministic expressions over updates."""

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
    StateTtl,
)
from table_api.operations.changelog import (
    ChangelogNormalizeQueryOperation,
    CurrentRowsJoinQueryOperation,
    DeduplicateQueryOperation,
    IntervalJoinQueryOperation,
    RankQueryOperation,
    RankStrategy,
    UpdatingOverQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.tree import children_of, preorder

__all__ = ["advice_on"]


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
    where = node.summary_name
    if isinstance(node, (WindowAggregateQueryOperation, WindowRankQueryOperation, WindowJoinQueryOperation, IntervalJoinQueryOperation)):
        return None  # the watermark removes what it keeps
    if isinstance(node, CurrentRowsJoinQueryOperation):
        return f"{where} keeps all rows of its right input as long as the job runs."
    if isinstance(node, JoinQueryOperation):
        inputs = [side for side, ttl in zip(("left", "right"), node.state_ttl, strict=True) if not _expires(ttl, state_expires)]
        rows = "both inputs" if len(inputs) == 2 else f"its {''.join(inputs)} input"
        return f"{where} keeps all rows of {rows} as long as the job runs." if inputs else None
    if _expires(node.state_ttl if isinstance(node, (AggregateQueryOperation, DistinctQueryOperation)) else None, state_expires):
        return None
    match node:
        case AggregateQueryOperation(grouping=(_, *_)):
            return f"{where} keeps a row for each group ({', '.join(key.name for key in node.grouping)}) as long as the job runs."
        case DistinctQueryOperation():
            return f"{where} keeps each distinct row as long as the job runs."
        case SetQueryOperation() if not (node.kind is SetOperationType.UNION and node.all):
            return f"{where} keeps each distinct row of its inputs as long as the job runs."
        case ChangelogNormalizeQueryOperation():
            return f"{where} keeps the last row of each key as long as the job runs."
        case DeduplicateQueryOperation():
            return f"{where} keeps a row for each key as long as the job runs."
        case RankQueryOperation() if node.strategy is RankStrategy.RETRACT:
            return f"{where} keeps all rows of each partition as long as the job runs, because its input has retractions."
        case RankQueryOperation(partition_by=(_, *_)):
            return f"{where} keeps its rows for each partition as long as the job runs."
        case UpdatingOverQueryOperation():
            return f"{where} keeps all rows as long as the job runs, because later rows change its results. In the order of a time attribute it would not."
        case _:
            return None


def _expires(ttl: StateTtl | None, by_default: bool) -> bool:
    return by_default if ttl is None else ttl.milliseconds > 0
