"""The watermarks of the outputs of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from table_runtime.sources.watermark_progress import NO_WATERMARK


class _Edge(Protocol):
    @property
    def node(self) -> int | None: ...
    @property
    def input_index(self) -> int: ...


class _Node(Protocol):
    @property
    def edges(self) -> Sequence[_Edge]: ...


def watermarks_of_outputs(nodes: Sequence[_Node], forwarded: Sequence[int], outputs: int) -> list[int | None]:
    """Returns the least watermark of the nodes that lead to each output, of those that each node has forwarded; None without event time."""
    found: list[list[int]] = [[] for _ in range(outputs)]
    for node, watermark in zip(nodes, forwarded, strict=True):
        for edge in node.edges:
            if edge.node is None:
                found[edge.input_index].append(watermark)
    least = [min(watermarks, default=NO_WATERMARK) for watermarks in found]
    return [None if watermark == NO_WATERMARK else watermark for watermark in least]
