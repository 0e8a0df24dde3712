"""Facts of ``WindowJoinQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinType
from table_api.operations.changelog import WindowJoinQueryOperation
from table_api.plan.facts.join import keys_of_join, time_loser_of_join
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all
from table_api.plan.facts.streaming import always, is_over_proctime, is_over_updates, never_expires
from table_api.plan.window_columns import WindowColumns
from table_common.frozen_dataclass import replace


def _windows(node: WindowJoinQueryOperation, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    left, right = inputs
    assert left is not None
    if node.join_type is JoinType.RIGHT_OUTER:
        assert right is not None
        width = len(node.left.resolved_schema.columns)
        starts, ends, times = (frozenset(i + width for i in columns) for columns in (right.starts, right.ends, right.times))
        return replace(right, starts=starts, ends=ends, times=times)
    return None if node.join_type is JoinType.FULL_OUTER else left


register(
    WindowJoinQueryOperation,
    NodeFacts(
        changes=insertions_for("Ranks and joins of time windows require"),
        demands=needs_all,
        keys=keys_of_join,
        windows=_windows,
        follows_clock=is_over_proctime,
        reads_watermarks=always,
        needs_each_watermark=is_over_updates,
        retentions=never_expires,
        time_loser=time_loser_of_join,
    ),
)
