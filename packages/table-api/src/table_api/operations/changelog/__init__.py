"""Streaming plans: the changes on each edge, and the query nodes that only changelog rules create."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .all_nodes: CHANGELOG_OPERATIONS
    .changelog_normalize: ChangelogNormalizeQueryOperation
    .changes: ALL_KINDS Changes DeleteKind INSERTS INSERT_ONLY ModifyKind ModifyKindSet UpdateKind modify_kinds_of
    .current_rows_join: CurrentRowsJoinQueryOperation
    .deduplicate: DeduplicateQueryOperation
    .drop_update_before: DropUpdateBeforeQueryOperation
    .interval_join: IntervalJoinQueryOperation
    .over_aggregate: OverAggregateQueryOperation
    .rank: RankQueryOperation RankStrategy
    .sort_at_end: SortAtEndQueryOperation
    .temporal_sort: TemporalSortQueryOperation
    .updating_over: UpdatingOverQueryOperation
    .window_aggregate: WindowAggregateQueryOperation
    .window_join: WindowJoinQueryOperation
    .window_rank: WindowRankQueryOperation
    """,
)
