"""Facts of ``UnnestQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import UnnestQueryOperation
from table_api.operations.changelog import INSERTS, ModifyKindSet
from table_api.operations.query.unnest import batch_call_of
from table_api.plan.facts.change_origin import origin_of_updates
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import NO_KEYS, Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import needs_before, same
from table_common.connector import VectorSearchCall
from table_common.exceptions import ValidationException
from table_common.expressions import remap
from table_common.frozen_dataclass import replace


def _changes(node: UnnestQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    call = batch_call_of(node) if inputs[0] - INSERTS else None
    if isinstance(call, VectorSearchCall):
        raise ValidationException(
            f"VECTOR_SEARCH requires an insert-only input, but the rows that it searches for ({origin_of_updates(node.child)}) are updated or deleted:"
            " the searched table may have changed when a row is removed.",
            hint="search for the rows before they are aggregated or joined",
        )
    if call is not None:
        raise ValidationException(
            f"ML_PREDICT requires an insert-only input, but its table ({origin_of_updates(node.child)}) updates or deletes rows:"
            " a model may answer otherwise when a row is removed.",
            hint="predict the rows before they are aggregated or joined",
        )
    return same(node, inputs)


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


register(UnnestQueryOperation, NodeFacts(changes=_changes, demands=needs_before, keys=_keys, needs=_needs, rebuilt=_rebuilt, windows=same))
