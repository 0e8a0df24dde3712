"""Decides which columns behind joins and aggregates are time attributes."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    MatchRecognizeQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    VersionedJoinQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import IntervalJoinQueryOperation, WindowAggregateQueryOperation, WindowJoinQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import window_columns
from table_api.plan.rules.recognize_interval_joins import interval_join
from table_api.plan.rules.recognize_windows import window_form
from table_api.plan.window_columns import WindowColumns
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import windows
from table_common.tree import children_of, map_children_of, preorder, transform_up
from table_common.types import LogicalType, TimestampKind, is_time_attribute, plain_timestamp

__all__ = ["settle_time_attributes"]

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)


def settle_time_attributes(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Makes plain timestamps of the time attributes that a join or an aggregate loses, in its columns and all references to them.

    Until here their columns count as time attributes, because filters above a join may bound its times, and Flink shows the types so. A join
    keeps time attributes if it has a lower and an upper bound between times of both sides (by processing time: only those), or is a
    join of windows; a temporal join keeps those of the left side. An aggregate by a window keeps the time of the window. DISTINCT and set operations
    but UNION ALL keep none. Calls give plain timestamps already.

    Raises:
        ValidationException: a window or MATCH_RECOGNIZE needs a time attribute that is none any more.
    """
    known: dict[int, tuple[QueryOperation, WindowColumns | None]] = {}

    def change(node: QueryOperation) -> QueryOperation:
        inputs = [known[id(child)][1] for child in children_of(node, QueryOperation)]
        changed, window = _settled(_with_types_of_inputs(node), inputs)
        known[id(changed)] = changed, window
        return changed

    return transform_up(root, QueryOperation, change)


def _settled(node: QueryOperation, inputs: Sequence[WindowColumns | None]) -> tuple[QueryOperation, WindowColumns | None]:
    """Returns the node without the time attributes that it loses, and its window columns."""
    form = interval_join(window_form(node, inputs))
    window = window_columns(form, inputs)
    match form:
        case WindowJoinQueryOperation():
            return node, window
        case IntervalJoinQueryOperation():
            assert isinstance(node, JoinQueryOperation)
            return replace(node, kept_times=(TimestampKind.PROCTIME,)) if form.is_processing_time else node, window
        case JoinQueryOperation() if type(form) is JoinQueryOperation:
            return (replace(form, kept_times=()) if _has_time_attributes(form) else form), window
        case VersionedJoinQueryOperation():
            return replace(form, keeps_right_times=False), window
        case DistinctQueryOperation():
            return (replace(form, keeps_times=False) if _has_time_attributes(form) else form), window
        case SetQueryOperation() if not (form.kind is SetOperationType.UNION and form.all):
            return _with_types(form, tuple(map(plain_timestamp, form.types))), window
        case AggregateQueryOperation():
            (below,) = inputs
            kept = below.times if isinstance(form, WindowAggregateQueryOperation) and below is not None else frozenset()
            grouping = tuple(key if key.field_index in kept else _plain(key) for key in form.grouping)
            if grouping == form.grouping:
                return node, window
            if isinstance(node, DistinctQueryOperation):
                return AggregateQueryOperation(grouping, (), form.names, form.child), window
            assert isinstance(node, AggregateQueryOperation)
            return replace(node, grouping=grouping), window
        case WindowQueryOperation() if all(call.function in _RANKS for call in form.calls):
            (below,) = inputs  # the ranks of windows are recognized later
            in_window = below is not None and below.end_among([key.field_index for key in form.partition_by]) is not None
            return node, below if in_window else None
        case _:
            return node, window


def _with_types(node: SetQueryOperation, types: tuple[LogicalType, ...]) -> SetQueryOperation:
    return replace(node, types=types) if types != node.types else node


def _has_time_attributes(node: QueryOperation) -> bool:
    return any(is_time_attribute(column.data_type) for column in node.resolved_schema.columns)


def _plain(reference: FieldReferenceExpression) -> FieldReferenceExpression:
    return replace(reference, output_type=plain_timestamp(reference.output_type)) if is_time_attribute(reference.output_type) else reference


def _with_types_of_inputs(node: QueryOperation) -> QueryOperation:
    """Returns the node with plain timestamps where it refers to a column that is no time attribute any more."""
    inputs = children_of(node, QueryOperation)
    if not inputs:
        return node
    columns = [child.resolved_schema.columns for child in inputs]

    def follow(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        if not is_time_attribute(reference.output_type) or is_time_attribute(
            columns[reference.input_index][reference.field_index].data_type
        ):
            return reference
        _check(node, reference, inputs[reference.input_index])
        return _plain(reference)

    if isinstance(node, VersionedJoinQueryOperation):
        return node  # it accepts left rows at any time, as Flink's does
    if isinstance(node, SetQueryOperation):
        lost = [any(not is_time_attribute(one[position].data_type) for one in columns) for position in range(len(node.types))]
        types = tuple(plain_timestamp(type_) if is_lost else type_ for type_, is_lost in zip(node.types, lost, strict=True))
        return _with_types(node, types)
    if isinstance(node, MatchRecognizeQueryOperation):  # the measures are over values of the match
        for key in (*node.partition_by, *(order.expression for order in node.order_by)):
            map_references(key, follow)
        return node
    return map_children_of(node, ResolvedExpression, lambda expression: map_references(expression, follow))


def _check(node: QueryOperation, column: FieldReferenceExpression, child: QueryOperation) -> None:
    """Checks that the node does not need the column, which is no time attribute any more, as one."""
    match node:
        case WindowTableFunctionQueryOperation() if column == node.time:
            user = node.window.FUNCTION
        case MatchRecognizeQueryOperation() if column == node.order_by[0].expression:
            user = "ORDER BY of MATCH_RECOGNIZE"
        case _:
            return
    raise ValidationException(
        f"{user} needs a time attribute, but column '{column.name}' is none any more: it comes out of {_loser(child)}.",
        hint="take the times before (aggregate by a window, then join); bound the times of a join from both sides, such as "
        "a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts; group by window_start, window_end and window_time",
    )


def _loser(child: QueryOperation) -> str:
    """Returns what took the time attribute from a column of the node, or of a node below it."""
    for node in preorder(child, QueryOperation):
        if isinstance(node, JoinQueryOperation) and not node.kept_times:
            return "a join without bounds on the times of both sides"
        if isinstance(node, DistinctQueryOperation):
            return "DISTINCT"
        if isinstance(node, SetQueryOperation):
            return f"{node.kind.value.upper()}{' ALL' * node.all}"
        if isinstance(node, VersionedJoinQueryOperation):
            return "the right side of a temporal join"
        if isinstance(node, AggregateQueryOperation):
            return "GROUP BY"
    return "a node that loses it"
