"""Facts of temporal sorts."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.changelog import INSERTS, ModifyKindSet, TemporalSortQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, require_insertions, same
from table_api.plan.facts.streaming import is_over_event_time


def _changes(node: TemporalSortQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    require_insertions(node.child, inputs[0], "ORDER BY a time attribute requires")
    return INSERTS


register(TemporalSortQueryOperation, NodeFacts(changes=_changes, demands=needs_all, keys=same, reads_watermarks=is_over_event_time))
