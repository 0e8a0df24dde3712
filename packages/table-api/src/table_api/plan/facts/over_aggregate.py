"""Facts of over aggregates."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.changelog import INSERTS, ModifyKindSet, OverAggregateQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, require_insertions
from table_api.plan.facts.streaming import is_over_event_time
from table_api.plan.facts.window import keys_of_window


def _changes(node: OverAggregateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    require_insertions(node.child, inputs[0], "OVER windows in the order of a time attribute require")
    return INSERTS


register(
    OverAggregateQueryOperation, NodeFacts(changes=_changes, demands=needs_all, keys=keys_of_window, reads_watermarks=is_over_event_time)
)
