"""Facts of ``WindowQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import WindowCall, WindowQueryOperation
from table_api.plan.facts.columns import mover, used_columns
from table_api.plan.facts.record import Columns, Keys, NodeFacts, Pruned, register
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, remap
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import windows
from table_common.tree import map_children_of


def keys_of_window(node: WindowQueryOperation, inputs: Sequence[Keys]) -> Keys:
    """Returns the keys of rows with the results of OVER calls."""
    width = len(node.child.resolved_schema.columns)
    partition = frozenset(reference.field_index for reference in node.partition_by)
    numbered = [partition | {width + position} for position, call in enumerate(node.calls) if call.function is windows.ROW_NUMBER]
    return inputs[0] | frozenset(numbered)


def _needs(node: WindowQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    calls = [call for i, call in enumerate(node.calls) if width + i in needed]
    below = frozenset(i for i in needed if i < width)
    if not calls:
        return [below]
    keys = [*node.partition_by, *(order.expression for order in node.order_by)]
    return [below | used_columns([*keys, *(e for call in calls for e in _window_inputs(call))])]


def _rebuilt(node: WindowQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)
    kept = [i for i in range(len(node.calls)) if old_width + i in needed]
    if not kept:
        # Differs from Flink: an unused OVER is removed, so its late rows are kept. Flink keeps it below a filter or an aggregate.
        return child, moved
    reference = mover(moved)
    new = WindowQueryOperation(
        tuple(map(reference, node.partition_by)),
        tuple(replace(order, expression=remap(order.expression, moved)) for order in node.order_by),
        tuple(map_children_of(node.calls[i], FieldReferenceExpression, reference) for i in kept),
        tuple(node.names[i] for i in kept),
        child,
    )
    return new, moved | {old_width + old: width + position for position, old in enumerate(kept)}


def _window_inputs(call: WindowCall) -> list[ResolvedExpression]:
    return [*call.args, *([call.filter] if call.filter is not None else [])]


register(WindowQueryOperation, NodeFacts(keys=keys_of_window, needs=_needs, rebuilt=_rebuilt))
