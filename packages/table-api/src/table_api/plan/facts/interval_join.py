"""Facts of interval joins."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, QueryOperation
from table_api.operations.changelog import INSERTS, IntervalJoinQueryOperation, ModifyKindSet
from table_api.plan.facts.join import keys_of_join, time_loser_of_join
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all, require_insertions
from table_api.plan.facts.streaming import always, ended_by_watermarks
from table_common.frozen_dataclass import replace
from table_common.types import TimestampKind


def _changes(node: IntervalJoinQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    for child, given in zip(node.children, inputs, strict=True):
        require_insertions(child, given, "Interval joins require")
    return INSERTS


def _follows_clock(node: IntervalJoinQueryOperation) -> bool:
    return node.is_processing_time


def _settled(node: JoinQueryOperation, form: IntervalJoinQueryOperation, inputs: object) -> QueryOperation:
    return replace(node, kept_times=(TimestampKind.PROCTIME,)) if form.is_processing_time else node


register(
    IntervalJoinQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=needs_all,
        keys=keys_of_join,
        follows_clock=_follows_clock,
        reads_watermarks=always,
        retentions=ended_by_watermarks,
        settled=_settled,
        time_loser=time_loser_of_join,
    ),
)
