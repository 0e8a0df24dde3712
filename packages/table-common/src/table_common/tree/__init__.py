"""Trees: nodes whose children follow from their fields, iterative walks, dispatch by exact class."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .dispatch: TypeDispatch by_class
    .node: Node Part children_of holds_only map_children_of
    .recursion: MAX_DEPTH MAX_PLAN_DEPTH MAX_TYPE_DEPTH MAX_TYPE_PARTS deep_recursion require_plan_depth
    .traversal: fold inputs_first nodes_of preorder reader_counts transform_down transform_up
    """,
)
