"""Which sources of a plan end, and which nodes keep state if some do not."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import STATELESS_OPERATIONS, ExternalQueryOperation, ModifyOperation, QueryOperation, SourceQueryOperation
from table_api.plan.facts.record import facts_of
from table_common.connector import ScanTableSource
from table_common.expressions import calls_of
from table_common.functions.builtin import temporal
from table_common.tree import fold, preorder


def is_unbounded(operations: Sequence[ModifyOperation], time_zone: str) -> bool:
    """Whether a source of one of the operations is unbounded in streaming mode."""
    context = ScanTableSource.ScanContext(False, time_zone)
    return any(unbounded_leaves(operation.child, context) for operation in operations)


def unbounded_leaves(plan: QueryOperation, context: ScanTableSource.ScanContext) -> list[QueryOperation]:
    """Returns the scans of a plan, and the leaves of an engine, whose rows do not end.

    Example:
        >>> unbounded_leaves(env.from_elements([(1,)], ["id"])._operation, ScanTableSource.ScanContext(False, "UTC"))
        []
    """
    return [node for node in preorder(plan, QueryOperation) if _is_unbounded_leaf(node, context)]


def nodes_with_state(plan: QueryOperation, leaves: Sequence[QueryOperation]) -> list[tuple[QueryOperation, str]]:
    """Returns the nodes that keep state because these leaves of the plan are unbounded, inputs first, and why each does.

    Example:
        >>> table = env.from_elements([(1,)], ["id"])
        >>> nodes_with_state(table.select(col("id")).distinct()._operation, [])
        []
    """
    unbounded = set(map(id, leaves))
    found: list[tuple[QueryOperation, str]] = []

    def visit(node: QueryOperation, inputs: Sequence[bool]) -> bool:
        positions = frozenset(position for position, is_unbounded_input in enumerate(inputs) if is_unbounded_input)
        if positions and (reason := _why_it_keeps_state(node, positions)) is not None:
            found.append((node, reason))
        return bool(positions) or id(node) in unbounded

    fold(plan, QueryOperation, visit)
    return found


def _is_unbounded_leaf(node: QueryOperation, context: ScanTableSource.ScanContext) -> bool:
    if isinstance(node, ExternalQueryOperation):
        return not node.is_bounded
    source = node.source if isinstance(node, SourceQueryOperation) else None
    return isinstance(source, ScanTableSource) and not source.get_scan_runtime_provider(context).is_bounded


def _why_it_keeps_state(node: QueryOperation, unbounded: frozenset[int]) -> str | None:
    if calls_of(temporal.CURRENT_WATERMARK, node.expressions):
        return "CURRENT_WATERMARK depends on the rows before"
    keeps_state = facts_of(type(node)).keeps_state
    if keeps_state is not None:
        return keeps_state(node, unbounded)
    return None if type(node) in STATELESS_OPERATIONS else "its rows depend on other rows"
