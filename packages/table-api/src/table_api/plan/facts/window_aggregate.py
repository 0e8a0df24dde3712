"""Facts of ``WindowAggregateQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_api.operations.changelog import INSERTS, ModifyKindSet, WindowAggregateQueryOperation
from table_api.plan.facts.aggregate import check_retract, keys_of_groups, with_grouping
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, updates
from table_api.plan.facts.streaming import always, is_over_proctime, is_over_updates, never_expires
from table_api.plan.window_columns import WindowColumns


def _changes(node: WindowAggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        check_retract(node)
    return INSERTS if node.emission is None else updates(node, inputs)


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
        retentions=never_expires,
        settled=_settled,
        time_loser="GROUP BY",
    ),
)
