"""Facts of window ranks."""

from __future__ import annotations

from table_api.operations.changelog import WindowRankQueryOperation
from table_api.plan.facts.rank import keys_of_rank
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_of_windows, needs_all, same
from table_api.plan.facts.streaming import always, ended_by_watermarks, is_over_proctime, is_over_updates

register(
    WindowRankQueryOperation,
    NodeFacts(
        changes=insertions_of_windows,
        demands=needs_all,
        keys=keys_of_rank,
        windows=same,
        follows_clock=is_over_proctime,
        reads_watermarks=always,
        needs_each_watermark=is_over_updates,
        retentions=ended_by_watermarks,
    ),
)
