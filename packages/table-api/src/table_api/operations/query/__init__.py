"""The nodes of a query plan, one file each."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .aggregate: AggregateCall AggregateQueryOperation
    .all_nodes: QUERY_OPERATIONS STATELESS_OPERATIONS
    .correlate: CorrelateQueryOperation
    .distinct: DistinctQueryOperation
    .external: ExternalQueryOperation
    .filter: FilterQueryOperation
    .from_changelog: FromChangelogQueryOperation
    .join: JoinQueryOperation JoinStrategy JoinType
    .lookup_join: LookupHint LookupJoinQueryOperation LookupKey LookupSide
    .match_recognize: MatchRecognizeQueryOperation
    .process_table_function: ProcessTableFunctionQueryOperation TableArgument
    .project: ProjectQueryOperation
    .pushed_down: PushedAbility PushedDown
    .set: SetOperationType SetQueryOperation
    .sort: SortOrder SortQueryOperation
    .source: ContextResolvedTable SourceQueryOperation
    .state_ttl: StateTtl
    .temporal_join: TemporalJoinQueryOperation
    .to_changelog: ToChangelogQueryOperation
    .unnest: UnnestQueryOperation
    .values: ValuesQueryOperation
    .versioned_join: VersionedJoinQueryOperation
    .watermark: WatermarkQueryOperation
    .window: WindowBound WindowCall WindowFrame WindowQueryOperation
    .window_table_function: WINDOW_COLUMNS WindowTableFunctionQueryOperation
    """,
)
