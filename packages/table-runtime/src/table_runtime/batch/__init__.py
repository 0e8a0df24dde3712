"""Operators of bounded plans: record batches in, record batches out. Each may hold all rows of its inputs."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .aggregation.keyed_aggregation: AggregationPlan
    .vector_search: vector_comparison
    table_runtime.columns.keys: KeyCodec
    """,
)
