"""Facts of interval joins."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.changelog import INSERTS, IntervalJoinQueryOperation, ModifyKindSet
from table_api.plan.facts.join import keys_of_join
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, require_insertions


def _changes(node: IntervalJoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    for child, given in zip(node.children, inputs, strict=True):
        require_insertions(child, given, "Interval joins require")
    return INSERTS


register(IntervalJoinQueryOperation, NodeFacts(changes=_changes, demands=needs_all, keys=keys_of_join))
