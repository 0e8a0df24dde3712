"""Facts of ``UnnestQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import UnnestQueryOperation
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import NO_KEYS, Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import needs_before, same
from table_common.expressions import remap
from table_common.frozen_dataclass import replace


def _keys(node: UnnestQueryOperation, inputs: Sequence[Keys]) -> Keys:
    if not node.with_ordinality:
        return NO_KEYS
    last = len(node.resolved_schema.columns) - 1
    return frozenset(key | {last} for key in inputs[0])


def _needs(node: UnnestQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | used_columns([node.expression])]


def _rebuilt(node: UnnestQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)
    elements = {old_width + i: width + i for i in range(len(node.names))}
    return replace(node, child=child, expression=remap(node.expression, moved)), moved | elements


register(UnnestQueryOperation, NodeFacts(changes=same, demands=needs_before, keys=_keys, needs=_needs, rebuilt=_rebuilt, windows=same))
