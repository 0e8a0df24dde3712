"""Facts of ``WindowRankQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import WindowRankQueryOperation
from table_api.plan.facts.rank import keys_of_rank
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all, same
from table_api.plan.facts.streaming import always, is_over_proctime, is_over_updates, never_expires

register(
    WindowRankQueryOperation,
    NodeFacts(
        changes=insertions_for("Ranks and joins of time windows require"),
        demands=needs_all,
        keys=keys_of_rank,
        windows=same,
        follows_clock=is_over_proctime,
        reads_watermarks=always,
        needs_each_watermark=is_over_updates,
        retentions=never_expires,
    ),
)
