"""Lowers whole plans bottom-up; a subplan with several parents is lowered once."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ModifyOperation, Operation, QueryOperation, ValuesQueryOperation
from table_common.tree import children_of
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.lowering.repeated_scans import scans_to_repeat
from table_runtime.run.operator import Operator, depth_of

MOST_OPERATORS = 48
"""Operators in a chain that one thread runs: each needs about ten of Python's 1,000 stack frames."""


def lower_all(operations: Sequence[ModifyOperation], context: LoweringContext) -> list[Operator]:
    """Returns the physical tree of each operation; subplans that are the same object are shared."""
    consumer_counts = _consumer_counts(operations)
    for number, count in consumer_counts.items():
        context.readers[number] += count
    scan_again = scans_to_repeat(operations, context)
    lowered: dict[int, Operator] = {}
    depths: dict[int, int] = {}
    stack: list[tuple[Operation, bool]] = [(operation, False) for operation in reversed(operations)]
    while stack:
        node, expanded = stack.pop()
        if id(node) in lowered:
            continue
        children = children_of(node, QueryOperation)
        if not expanded and children:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children))
            continue
        inputs = [lowered[id(child)] for child in children]
        if id(node) in scan_again:
            own = scan_again[id(node)]
            scan = lower(own.left, (), context)
            scan.estimated_rows = inputs[0].estimated_rows
            operator = lower(own, (scan, *inputs[1:]), context)
        else:
            operator = lower(node, inputs, context)
        if context.estimated_rows is not None and isinstance(node, QueryOperation):
            operator.estimated_rows = context.estimated_rows(node)
        if depth_of(operator, depths) >= MOST_OPERATORS:
            from table_runtime.run.deep_plan_threads import ThreadBoundary  # few plans are so deep

            operator = ThreadBoundary(operator)
        shared = consumer_counts.get(id(node), 0) > 1 and not isinstance(node, ValuesQueryOperation)
        if shared:
            from table_runtime.batch.shared_subplan import SharedSubplan  # few plans share parts

            operator = SharedSubplan(operator)
        lowered[id(node)] = operator
    return [lowered[id(operation)] for operation in operations]


def _consumer_counts(operations: Sequence[ModifyOperation]) -> dict[int, int]:
    counts: dict[int, int] = {}
    seen: set[int] = set()
    stack: list[Operation] = list(operations)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        children = children_of(node, QueryOperation)
        for child in children:
            counts[id(child)] = counts.get(id(child), 0) + 1
        stack.extend(children)
    return counts
