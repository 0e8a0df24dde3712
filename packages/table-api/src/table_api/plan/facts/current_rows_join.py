"""Facts of ``CurrentRowsJoinQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import CurrentRowsJoinQueryOperation
from table_api.plan.facts.join import keys_of_join, time_loser_of_join
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_before, same
from table_api.plan.facts.streaming import never_expires


def _growing_state(node: CurrentRowsJoinQueryOperation, state_expires: bool) -> str | None:
    return "all rows of its right input as long as the job runs."


register(
    CurrentRowsJoinQueryOperation,
    NodeFacts(
        changes=same,
        demands=needs_before,
        keys=keys_of_join,
        forwards_watermarks=True,
        retentions=never_expires,
        growing_state=_growing_state,
        time_loser=time_loser_of_join,
    ),
)
