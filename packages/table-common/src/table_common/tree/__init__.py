"""Trees: nodes whose children follow from their fields, iterative walks, dispatch by exact class."""

from table_common.tree.dispatch import TypeDispatch
from table_common.tree.node import Node, Part, children_of, map_children_of
from table_common.tree.recursion import deep_recursion
from table_common.tree.traversal import fold, preorder, transform_down, transform_up

__all__ = [
    "Node",
    "Part",
    "TypeDispatch",
    "children_of",
    "deep_recursion",
    "fold",
    "map_children_of",
    "preorder",
    "transform_down",
    "transform_up",
]
