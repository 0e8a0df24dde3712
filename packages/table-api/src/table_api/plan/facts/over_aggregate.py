"""Facts of ``OverAggregateQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import OverAggregateQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all
from table_api.plan.facts.streaming import is_over_event_time
from table_api.plan.facts.window import keys_of_window

register(
    OverAggregateQueryOperation,
    NodeFacts(
        changes=insertions_for("OVER windows in the order of a time attribute require"),
        demands=needs_all,
        keys=keys_of_window,
        reads_watermarks=is_over_event_time,
    ),
)
