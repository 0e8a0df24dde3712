"""Identifiers of the operators of a graph, by which checkpoints know them: what is below them, and the sinks above."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from table_runtime.streaming.checkpoints.state_compatibility import OperatorId
from table_runtime.streaming.graph.graph import Graph


def operator_ids_of(graph: Graph, sinks: Sequence[str]) -> Sequence[OperatorId]:
    """Returns the identifier of each node; ``sinks`` are the tables of the outputs."""
    inputs: list[list[tuple[int, str]]] = [[] for _ in graph.nodes]
    for source in graph.sources:
        for edge in source.edges:
            if edge.node is not None:
                inputs[edge.node].append((edge.input_index, _digest(source.table, source.asked)))
    below: list[str] = []
    for number, node in enumerate(graph.nodes):
        below.append(_digest(*(text for _, text in sorted(inputs[number]))))
        own = _digest(below[number], str(node.operator), node.text)
        for edge in node.edges:
            if edge.node is not None:
                inputs[edge.node].append((edge.input_index, own))
    above: list[set[str]] = [set() for _ in graph.nodes]
    for number in range(len(graph.nodes) - 1, -1, -1):
        for edge in graph.nodes[number].edges:
            if edge.node is not None:
                above[number] |= above[edge.node]
            elif edge.input_index < len(sinks):
                above[number].add(sinks[edge.input_index])
    return [OperatorId(text, tuple(sorted(tables))) for text, tables in zip(below, above, strict=True)]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
