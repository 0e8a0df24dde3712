"""Recognizes aggregates, ranks and joins of time windows, whose results streaming mode emits once per window."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    HopWindow,
    JoinQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    DeduplicateQueryOperation,
    RankQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_api.operations.query import SortOrder
from table_api.operations.windows.assigner import length_text
from table_api.plan.calls import references_of
from table_api.plan.context import RuleContext
from table_api.plan.facts.key_columns import equal_pairs
from table_api.plan.facts.record import window_columns
from table_api.plan.window_columns import WindowColumns
from table_api.plan.window_emissions import check_window_function, emission_of
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import temporal, windows
from table_common.tree import children_of, nodes_of, transform_up
from table_common.types import is_proctime


def recognize_windows(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces aggregates, DISTINCT and ranks by the start and the end of a window, and joins of equal windows, by their window forms.

    Windows over processing time read the clock: the value of the column is that of the time when the row came to an earlier operator.

    Raises:
        ValidationException: a HOP is aggregated whose size is not a multiple of its slide, or an option of results besides at the end of windows does not fit.
    """
    if not nodes_of(root, QueryOperation, WindowTableFunctionQueryOperation):
        return root
    known: dict[int, tuple[QueryOperation, WindowColumns | None]] = {}

    def change(node: QueryOperation) -> QueryOperation:
        inputs = [known[id(child)][1] for child in children_of(node, QueryOperation)]
        changed = window_form(node, inputs)
        if isinstance(changed, WindowAggregateQueryOperation) and changed is not node and inputs[0] is not None:
            changed = _with_emission(changed, inputs[0], context)
        known[id(changed)] = changed, window_columns(changed, inputs)
        return changed

    return transform_up(root, QueryOperation, change)


def window_form(node: QueryOperation, inputs: Sequence[WindowColumns | None]) -> QueryOperation:
    """Returns the window form of a node whose inputs have these window columns; the node itself if it has none.

    Raises:
        ValidationException: a HOP is aggregated whose size is not a multiple of its slide.
    """
    if isinstance(node, WindowTableFunctionQueryOperation):
        return _with_current_time(node)
    found = [window for window in inputs if window is not None]
    form = _FORMS.get(type(node))
    return node if form is None or not found or len(found) < len(inputs) else form(node, *found)


def _with_emission(node: WindowAggregateQueryOperation, window: WindowColumns, context: RuleContext) -> QueryOperation:
    configuration = context.session.configuration
    if window.is_table_function:
        check_window_function(configuration)
        return node
    return replace(node, emission=emission_of(window.window, configuration, is_proctime=is_proctime(window.time_type)))


def _with_current_time(node: WindowTableFunctionQueryOperation) -> QueryOperation:
    if not is_proctime(node.time.output_type):
        return node
    columns: list[ResolvedExpression] = list(references_of(node.child))
    columns[node.time.field_index] = CallExpression(temporal.PROCTIME, (), node.time.output_type)
    return replace(node, child=ProjectQueryOperation(tuple(columns), node.child.resolved_schema.column_names, node.child))


def _aggregate(node: AggregateQueryOperation, window: WindowColumns) -> QueryOperation:
    # Differs from Flink: sessions that are grouped without their partition keys give each group once, when the session is over. Flink updates such groups
    # for each row, and for grouping sets without these keys it makes sessions over all keys.
    end = window.end_among([reference.field_index for reference in node.grouping])
    if end is None or not _is_in_all_sets(node, window):
        return node
    if window.is_table_function:
        _check_hop(window)
    return WindowAggregateQueryOperation(**_fields(node), window=window.window, end=end, time_type=window.time_type)


def _distinct(node: DistinctQueryOperation, window: WindowColumns) -> QueryOperation:
    groups = AggregateQueryOperation(references_of(node.child), (), tuple(node.resolved_schema.column_names), node.child)
    form = _aggregate(groups, window)
    return node if form is groups else form


def _rank(node: RankQueryOperation, window: WindowColumns) -> QueryOperation:
    end = window.end_among([reference.field_index for reference in node.partition_by])
    if end is None:
        return node
    return WindowRankQueryOperation(**_fields(node), window=window.window, window_end=end, time_type=window.time_type)


def _deduplicate(node: DeduplicateQueryOperation, window: WindowColumns) -> QueryOperation:
    """Returns the first or last row of each key in a window as a rank; by processing time in the order in which rows came."""
    orders = () if node.rowtime is None else (SortOrder(node.rowtime, not node.keep_last, not node.keep_last),)
    rank = _rank(RankQueryOperation(windows.ROW_NUMBER, node.keys, orders, 1, 1, None, node.child), window)
    return dataclasses.replace(rank, last_is_first=node.keep_last) if isinstance(rank, WindowRankQueryOperation) else node


def _join(node: JoinQueryOperation, left: WindowColumns, right: WindowColumns) -> QueryOperation:
    if left.window != right.window or left.time_type != right.time_type:
        return node
    pairs = equal_pairs(node.condition)
    # Differs from Flink: sessions are joined if their starts are equal too. Flink compares the ends alone.
    starts = [pair for pair in pairs if pair[0] in left.starts and pair[1] in right.starts]
    ends = [pair for pair in pairs if pair[0] in left.ends and pair[1] in right.ends]
    if not starts or not ends:
        return node
    return WindowJoinQueryOperation(**_fields(node), window=left.window, ends=ends[0], time_type=left.time_type)


_FORMS: Mapping[type[QueryOperation], Callable[..., QueryOperation]] = {
    AggregateQueryOperation: _aggregate,
    DistinctQueryOperation: _distinct,
    RankQueryOperation: _rank,
    DeduplicateQueryOperation: _deduplicate,
    JoinQueryOperation: _join,
}
"""The functions that return the window form of a node of exactly a class, from the node and the windows of its inputs."""


def _is_in_all_sets(node: AggregateQueryOperation, window: WindowColumns) -> bool:
    """Whether every grouping set has the window's start and end."""
    return node.grouping_sets is None or all(
        window.end_among([node.grouping[position].field_index for position in members]) is not None for members in node.grouping_sets
    )


def _check_hop(window: WindowColumns) -> None:
    hop = window.window
    if isinstance(hop, HopWindow) and hop.size % hop.slide:
        raise ValidationException(
            f"An aggregate over HOP in streaming mode needs a size that is a multiple of the slide, but the size is {length_text(hop.size)}, "
            f"the slide {length_text(hop.slide)}.",
            hint="Choose a slide that divides the size, or run the query in batch mode.",
        )


def _fields(node: QueryOperation) -> dict[str, Any]:
    """Returns the values of a node's fields by name."""
    return {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}  # type: ignore[arg-type]  # every node is a dataclass
