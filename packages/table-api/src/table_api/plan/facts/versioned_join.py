"""Facts of ``VersionedJoinQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import JoinQueryOperation, QueryOperation, VersionedJoinQueryOperation
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.join import needs_of_join, rebuilt_join
from table_api.plan.facts.record import FULL, UPSERT, Columns, Decision, Demand, Follow, InputFacts, NodeFacts, Pruned, register
from table_api.plan.facts.shared import same
from table_api.plan.facts.streaming import always
from table_common.frozen_dataclass import replace


def _demands(node: VersionedJoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # A row before an update has the time of an earlier version, which must stay.
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL, UPSERT), node)


def _needs(node: VersionedJoinQueryOperation, needed: Columns) -> list[Columns]:
    join = JoinQueryOperation(node.left, node.right, node.join_type, node.condition)
    return [columns | used_columns(node.times, side) for side, columns in enumerate(needs_of_join(join, needed))]


def _rebuilt(node: VersionedJoinQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    join, positions = rebuilt_join(JoinQueryOperation(node.left, node.right, node.join_type, node.condition), needed, children)
    assert isinstance(join, JoinQueryOperation)
    moved = tuple(replace(time, field_index=children[side][1][time.field_index]) for side, time in enumerate(node.times))
    return replace(node, left=join.left, right=join.right, condition=join.condition, times=moved), positions


def _settled(node: object, form: VersionedJoinQueryOperation, inputs: object) -> QueryOperation:
    return replace(form, keeps_right_times=False)


def _retyped(node: VersionedJoinQueryOperation, follow: Follow) -> QueryOperation:
    return node  # it accepts left rows at any time, as Flink's does


# It keeps the keys of the left side: a row has at most one version.
register(
    VersionedJoinQueryOperation,
    NodeFacts(
        changes=same,
        demands=_demands,
        keys=same,
        needs=_needs,
        rebuilt=_rebuilt,
        reads_watermarks=always,
        settled=_settled,
        retyped=_retyped,
        time_loser="the right side of a temporal join",
    ),
)
