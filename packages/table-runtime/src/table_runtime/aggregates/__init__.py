"""Aggregate functions over Arrow columns: states per group, one file per family of functions."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .accumulator: Accumulator AggregateSpec Reduction
    .collect: Collecting
    .registry: make_accumulator
    .user: UserAggregate
    .user_states: UserStates defines_merge
    """,
)
