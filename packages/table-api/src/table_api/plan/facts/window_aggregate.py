"""Facts of window aggregates."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_api.operations.changelog import ALL_KINDS, INSERTS, ModifyKind, ModifyKindSet, WindowAggregateQueryOperation
from table_api.plan.facts.aggregate import check_retract, keys_of_groups, time_loser_of_groups, with_grouping
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all
from table_api.plan.facts.streaming import always, ended_by_watermarks, is_over_proctime, is_over_updates
from table_api.plan.window_columns import WindowColumns


def _changes(node: WindowAggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        check_retract(node)
    if node.emission is None:
        return INSERTS
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def _windows(node: WindowAggregateQueryOperation, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    (window,) = inputs
    return None if window is None else window.at(reference.field_index for reference in node.grouping)


def _settled(node: QueryOperation, form: WindowAggregateQueryOperation, inputs: Sequence[WindowColumns | None]) -> QueryOperation:
    (below,) = inputs
    return with_grouping(node, form, frozenset() if below is None else below.times)


register(
    WindowAggregateQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=needs_all,
        keys=keys_of_groups,
        windows=_windows,
        follows_clock=is_over_proctime,
        reads_watermarks=always,
        needs_each_watermark=is_over_updates,
        retentions=ended_by_watermarks,
        settled=_settled,
        time_loser=time_loser_of_groups,
    ),
)
