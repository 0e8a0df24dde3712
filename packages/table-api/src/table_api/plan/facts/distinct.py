"""Facts of ``DistinctQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import DistinctQueryOperation, QueryOperation
from table_api.plan.facts.columns import all_columns, identity, restore
from table_api.plan.facts.record import Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import needs_all, updates
from table_api.plan.facts.streaming import expires, own_retention
from table_api.plan.facts.time_attributes import has_time_attributes
from table_common.frozen_dataclass import replace


def _keys(node: DistinctQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(range(len(node.resolved_schema.columns)))}


def _needs(node: DistinctQueryOperation, needed: Columns) -> list[Columns]:
    return [all_columns(node.child)]


def _rebuilt(node: DistinctQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    return replace(node, child=restore(children[0], node.child.resolved_schema)), identity(node)


def _growing_state(node: DistinctQueryOperation, state_expires: bool) -> str | None:
    return None if expires(node.state_ttl, state_expires) else "each distinct row as long as the job runs."


def _settled(node: object, form: DistinctQueryOperation, inputs: object) -> QueryOperation:
    return replace(form, keeps_times=False) if has_time_attributes(form) else form


register(
    DistinctQueryOperation,
    NodeFacts(
        changes=updates,
        demands=needs_all,
        keys=_keys,
        needs=_needs,
        rebuilt=_rebuilt,
        retentions=own_retention,
        growing_state=_growing_state,
        settled=_settled,
        time_loser="DISTINCT",
    ),
)
