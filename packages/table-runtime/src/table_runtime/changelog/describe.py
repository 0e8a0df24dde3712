"""Graphs as text for plans."""

from __future__ import annotations

from table_runtime.changelog.graph import Graph, GraphOutput
from table_runtime.changelog.operators.rows import Rows
from table_runtime.operators.operator import Operator

__all__ = ["describe_graph", "graph_lines"]


def describe_graph(root: Operator) -> str:
    """Returns the plan of a job as text: the operators that read the output of the graph, and below them the graph."""
    lines: list[str] = []
    while not isinstance(root, GraphOutput):
        lines += root.plan_lines()
        (root,) = root.inputs
    above = len(lines)
    lines = [("   " * (depth - 1) + "+- " if depth else "") + line for depth, line in enumerate(lines)]
    for line in graph_lines(root.graph):
        lines.append("   " * (above - 1) + ("+- " if not line.startswith((" ", "+-")) else "   ") + line)
    return "\n".join(lines)


def graph_lines(graph: Graph) -> list[str]:
    """Returns one line per operator, inputs indented below their reader; what several operators read is shown once."""
    inputs: dict[int | None, list[tuple[int, bool, int]]] = {}
    for number, source in enumerate(graph.sources):
        for edge in source.edges:
            inputs.setdefault(edge.node, []).append((edge.input_index, True, number))
    for number, node in enumerate(graph.nodes):
        for edge in node.edges:
            inputs.setdefault(edge.node, []).append((edge.input_index, False, number))
    lines: list[str] = []
    shown: set[int] = set()
    stack = [(is_source, number, 0) for _, is_source, number in sorted(inputs.get(None, []), reverse=True)]
    while stack:
        is_source, number, depth = stack.pop()
        if is_source:
            texts = graph.sources[number].scan.plan_lines()
        else:
            operator = graph.nodes[number].operator
            texts = operator.plan_lines if isinstance(operator, Rows) else [f"{operator.name}({operator.details()})"]
            if number in shown:
                texts = [f"Reused({texts[0]})"]
        for text in texts:
            lines.append(("   " * (depth - 1) + "+- " if depth else "") + text)
            depth += 1
        if not is_source and number not in shown:
            shown.add(number)
            stack.extend((from_source, below, depth) for _, from_source, below in sorted(inputs.get(number, []), reverse=True))
    return lines
