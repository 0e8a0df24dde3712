"""Facts of ``WindowTableFunctionQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import WINDOW_COLUMNS, WindowTableFunctionQueryOperation
from table_api.plan.facts.columns import mover, used_columns
from table_api.plan.facts.record import Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import needs_before, same
from table_api.plan.facts.streaming import never_expires
from table_api.plan.window_columns import WindowColumns
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.types import is_proctime


def _keys(node: WindowTableFunctionQueryOperation, inputs: Sequence[Keys]) -> Keys:
    column = node.window.TELLS_APART
    return inputs[0] if column is None else frozenset(key | {len(node.child.resolved_schema.columns) + column} for key in inputs[0])


def _windows(node: WindowTableFunctionQueryOperation, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    width = len(node.child.resolved_schema.columns)
    starts, ends = frozenset({width}), frozenset({width + 1})
    return WindowColumns(node.window, node.time.output_type, starts, ends, frozenset({width + 2}), node.names == WINDOW_COLUMNS)


def _needs(node: WindowTableFunctionQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | used_columns([node.time, *node.partition_by])]


def _rebuilt(node: WindowTableFunctionQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)
    reference = mover(moved)
    new = replace(node, child=child, time=reference(node.time), partition_by=tuple(map(reference, node.partition_by)))
    return new, moved | {old_width + i: width + i for i in range(len(node.names))}


def _follows_clock(node: WindowTableFunctionQueryOperation) -> bool:
    return _is_session(node) and is_proctime(node.time.output_type)


def _is_session(node: WindowTableFunctionQueryOperation, is_insert_only: bool = True) -> bool:
    # SESSION windows tell apart a row that comes before the end of a session and one that touches it.
    return not node.window.is_aligned


def _keeps_state(node: WindowTableFunctionQueryOperation, unbounded: frozenset[int]) -> str | None:
    return "a session lasts until no row comes for its gap" if _is_session(node) else None


def _needed_time(node: WindowTableFunctionQueryOperation, column: FieldReferenceExpression) -> str | None:
    return node.window.FUNCTION if column == node.time else None


register(
    WindowTableFunctionQueryOperation,
    NodeFacts(
        changes=same,
        demands=needs_before,
        keys=_keys,
        needs=_needs,
        rebuilt=_rebuilt,
        windows=_windows,
        follows_clock=_follows_clock,
        reads_watermarks=_is_session,
        needs_each_watermark=_is_session,
        retentions=never_expires,
        needed_time=_needed_time,
        keeps_state=_keeps_state,
    ),
)
