"""Facts of ``UpdatingOverQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import UpdatingOverQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, same, updates


def _growing_state(node: UpdatingOverQueryOperation, state_expires: bool) -> str | None:
    if state_expires:
        return None
    return "all rows as long as the job runs, because later rows change its results. In the order of a time attribute it would not."


# No row numbers among the keys: while they are updated, two rows may have the same one.
register(UpdatingOverQueryOperation, NodeFacts(changes=updates, demands=needs_all, keys=same, growing_state=_growing_state))
