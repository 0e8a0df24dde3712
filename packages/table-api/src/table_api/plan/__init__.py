"""Rewrites of the logical plan that all engines share, and the plan as text."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .boundedness: nodes_with_state unbounded_leaves
    .changelog.signatures: Signatures
    .facts.record: facts_of
    .join_columns: drop_join_columns
    .node_details: node_details
    .rank_bounds: rank_bounds
    .shown_columns: shown_columns shown_text
    """,
)
