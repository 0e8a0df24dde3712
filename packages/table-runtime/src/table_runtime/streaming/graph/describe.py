"""Prints graphs in plans."""

from __future__ import annotations

from table_runtime.run.operator import Operator
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.graph.statement_set import StatementSet
from table_runtime.streaming.operators.stateless import StatelessChain


def describe_graph(root: Operator) -> str:
    """Returns the plan of a job as text: for each output the operators that read it, and below them the graph. Repeated subgraphs are printed as ``Reused``."""
    shown: set[tuple[bool, int]] = set()
    outputs = root.inputs if isinstance(root, StatementSet) else (root,)
    return "\n\n".join("\n".join(_output_lines(output, number, shown)) for number, output in enumerate(outputs))


def _output_lines(root: Operator, number: int, shown: set[tuple[bool, int]]) -> list[str]:
    lines: list[str] = []
    while not isinstance(root, GraphOutput):
        lines += root.plan_lines()
        (root,) = root.inputs
    above = len(lines)
    lines = [("   " * (depth - 1) + "+- " if depth else "") + line for depth, line in enumerate(lines)]
    for line in graph_lines(root.graph, number, shown):
        lines.append("   " * (above - 1) + ("+- " if not line.startswith((" ", "+-")) else "   ") + line)
    return lines


def graph_lines(graph: Graph, output: int, shown: set[tuple[bool, int]]) -> list[str]:
    """Returns one line per operator below an output, inputs indented below their reader.

    Sources (True) and operators (False) are added to ``shown`` by number; those already in it are printed as one line.
    """
    inputs: dict[int | None, list[tuple[int, bool, int]]] = {}
    for number, source in enumerate(graph.sources):
        for edge in source.edges:
            inputs.setdefault(edge.node, []).append((edge.input_index, True, number))
    for number, node in enumerate(graph.nodes):
        for edge in node.edges:
            inputs.setdefault(edge.node, []).append((edge.input_index, False, number))
    lines: list[str] = []
    stack = [(is_source, number, 0) for index, is_source, number in sorted(inputs.get(None, []), reverse=True) if index == output]
    while stack:
        is_source, number, depth = stack.pop()
        if is_source:
            texts = graph.sources[number].scan.plan_lines()
        else:
            operator = graph.nodes[number].operator
            texts = operator.plan_lines if isinstance(operator, StatelessChain) else [f"{operator.name}({operator.details()})"]
        is_reused = (is_source, number) in shown
        if is_reused:
            texts = [f"Reused({texts[0]})"]
        for text in texts:
            lines.append(("   " * (depth - 1) + "+- " if depth else "") + text)
            depth += 1
        shown.add((is_source, number))
        if not is_source and not is_reused:
            stack.extend((from_source, below, depth) for _, from_source, below in sorted(inputs.get(number, []), reverse=True))
    return lines
