"""Facts of ``TemporalSortQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import TemporalSortQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all, same
from table_api.plan.facts.streaming import is_over_event_time

register(
    TemporalSortQueryOperation,
    NodeFacts(
        changes=insertions_for("ORDER BY a time attribute requires"), demands=needs_all, keys=same, reads_watermarks=is_over_event_time
    ),
)
