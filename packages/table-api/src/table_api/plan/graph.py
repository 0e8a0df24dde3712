"""The optimized plan as a drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.delegation import Planner, Session, StreamPlan
from table_api.operations import ModifyOperation, Operation, QueryOperation
from table_api.plan.explain import details_text
from table_api.plan.optimizer import optimize, optimize_stream
from table_api.rendering import GraphNode, PlanGraph
from table_common.tree import deep_recursion, inputs_first


def graph_of_operations(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner, redacted: Callable[[str], str]
) -> PlanGraph:
    """Returns the optimized plan of the operations as a drawing; ``redacted`` removes secrets from a text."""
    stream = optimize_stream(operations, session, planner)
    optimized = list(stream.operations) if stream is not None else optimize(operations, session, planner)
    nodes: list[GraphNode] = []
    numbers: dict[int, int] = {}
    with deep_recursion():
        for root in optimized:
            rows = planner.estimated_rows(root.child)
            for node in inputs_first([root], Operation):
                if id(node) in numbers:  # a part that an earlier root has too
                    continue
                numbers[id(node)] = len(nodes)
                details = [redacted(details_text(iter([pair]))) for pair in node.summary_details()]
                inputs = [numbers[id(child)] for child in node.children]
                nodes.append(GraphNode(node.summary_name, details, _output(node, rows, stream), inputs))
    return PlanGraph(nodes)


def _output(node: Operation, rows: Callable[[QueryOperation], float] | None, stream: StreamPlan | None) -> str:
    if not isinstance(node, QueryOperation):
        return ""
    parts = [f"about {_count(rows(node))} rows"] if rows is not None else []
    if stream is not None:
        parts.append(f"[{stream.changes_of(node)}]")
    return " ".join(parts)


def _count(rows: float) -> str:
    return f"{rows:,.0f}" if rows < 1e15 else f"{rows:.1e}"
