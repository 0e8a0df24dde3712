"""Walks from a source of a graph to its outputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar


class _Edge(Protocol):
    @property
    def node(self) -> int | None: ...
    @property
    def input_index(self) -> int: ...


class _Node(Protocol):
    @property
    def edges(self) -> Sequence[_Edge]: ...


N = TypeVar("N", bound=_Node)


def nodes_above(nodes: Sequence[N], edges: Sequence[_Edge]) -> Iterator[tuple[int, N, int]]:
    """Yields the nodes that rows of a source with these edges reach: number, node, and each input by which they do."""
    waiting, seen = deque(edges), set[tuple[int, int]]()
    while waiting:
        edge = waiting.popleft()
        if edge.node is not None and (edge.node, edge.input_index) not in seen:
            seen.add((edge.node, edge.input_index))
            yield edge.node, nodes[edge.node], edge.input_index
            waiting.extend(nodes[edge.node].edges)


def need_no_rows(nodes: Sequence[_Node], edges: Sequence[_Edge], is_finished: Callable[[int], bool]) -> bool:
    """Whether all readers of these edges ignore what may still come: each is finished, by its number, or all above it are."""
    return all(
        edge.node is not None
        and (is_finished(edge.node) or (bool(nodes[edge.node].edges) and need_no_rows(nodes, nodes[edge.node].edges, is_finished)))
        for edge in edges
    )
