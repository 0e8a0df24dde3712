"""Trees: nodes whose children follow from their fields, iterative walks, dispatch by exact class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.tree.dispatch import TypeDispatch
    from table_common.tree.node import Node, Part, children_of, holds_only, map_children_of
    from table_common.tree.recursion import MAX_DEPTH, MAX_PLAN_DEPTH, MAX_TYPE_DEPTH, MAX_TYPE_PARTS, deep_recursion, require_plan_depth
    from table_common.tree.traversal import fold, inputs_first, preorder, reader_counts, transform_down, transform_up

__all__ = [
    "MAX_DEPTH",
    "MAX_PLAN_DEPTH",
    "MAX_TYPE_DEPTH",
    "MAX_TYPE_PARTS",
    "Node",
    "Part",
    "TypeDispatch",
    "children_of",
    "deep_recursion",
    "fold",
    "holds_only",
    "inputs_first",
    "map_children_of",
    "preorder",
    "reader_counts",
    "require_plan_depth",
    "transform_down",
    "transform_up",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.tree.dispatch": ("TypeDispatch",),
        "table_common.tree.node": ("Node", "Part", "children_of", "holds_only", "map_children_of"),
        "table_common.tree.recursion": (
            "MAX_DEPTH",
            "MAX_PLAN_DEPTH",
            "MAX_TYPE_DEPTH",
            "MAX_TYPE_PARTS",
            "deep_recursion",
            "require_plan_depth",
        ),
        "table_common.tree.traversal": ("fold", "inputs_first", "preorder", "reader_counts", "transform_down", "transform_up"),
    },
)
