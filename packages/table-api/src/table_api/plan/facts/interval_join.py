"""Facts of ``IntervalJoinQueryOperation``."""

from __future__ import annotations

from table_api.operations import JoinQueryOperation, QueryOperation
from table_api.operations.changelog import IntervalJoinQueryOperation
from table_api.plan.facts.join import keys_of_join, time_loser_of_join
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all
from table_api.plan.facts.streaming import always, never_expires
from table_common.frozen_dataclass import replace
from table_common.types import TimestampKind


def _follows_clock(node: IntervalJoinQueryOperation) -> bool:
    return node.is_processing_time


def _settled(node: JoinQueryOperation, form: IntervalJoinQueryOperation, inputs: object) -> QueryOperation:
    return replace(node, kept_times=(TimestampKind.PROCTIME,)) if form.is_processing_time else node


register(
    IntervalJoinQueryOperation,
    NodeFacts(
        changes=insertions_for("Interval joins require"),
        demands=needs_all,
        keys=keys_of_join,
        follows_clock=_follows_clock,
        reads_watermarks=always,
        retentions=never_expires,
        settled=_settled,
        time_loser=time_loser_of_join,
    ),
)
