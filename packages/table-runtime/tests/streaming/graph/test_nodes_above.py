"""Tests for table_runtime.streaming.graph.nodes_above."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from table_runtime.streaming.graph.nodes_above import nodes_above


def edge(node: int | None, input_index: int = 0) -> Any:
    return SimpleNamespace(node=node, input_index=input_index)


def test_each_input_of_a_node_is_reached_once() -> None:
    nodes: list[Any] = [SimpleNamespace(edges=edges) for edges in ([edge(2)], [edge(2, 1)], [edge(None)])]
    assert [(number, index) for number, _, index in nodes_above(nodes, [edge(0), edge(1), edge(0)])] == [(0, 0), (1, 0), (2, 0), (2, 1)]
    assert list(nodes_above(nodes, [edge(None)])) == []
