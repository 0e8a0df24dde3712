"""Results as text, as Flink shows them, and plans as drawings."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .graph: GraphNode PlanGraph
    .style: TableauStyle
    .tableau: LEAST_WIDTH cell_texts
    .unbounded: UntilInterrupted flushing
    .values: render_value
    """,
)
