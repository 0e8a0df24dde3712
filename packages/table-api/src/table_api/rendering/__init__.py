"""Results as text, as Flink shows them, and plans as drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.rendering.graph import GraphNode, PlanGraph
    from table_api.rendering.tableau import LEAST_WIDTH, TableauStyle, cell_texts
    from table_api.rendering.unbounded import UntilInterrupted, flushing
    from table_api.rendering.values import render_value

__all__ = ["LEAST_WIDTH", "GraphNode", "PlanGraph", "TableauStyle", "UntilInterrupted", "cell_texts", "flushing", "render_value"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.rendering.unbounded": ("UntilInterrupted", "flushing"),
        "table_api.rendering.graph": ("GraphNode", "PlanGraph"),
        "table_api.rendering.tableau": ("LEAST_WIDTH", "TableauStyle", "cell_texts"),
        "table_api.rendering.values": ("render_value",),
    },
)
