"""The logical plan of statements and Table API calls; it does not depend on the engine."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    table_api.expressions.unresolved: FrameBoundKind FrameUnit
    .modify: CollectModifyOperation SinkModifyOperation
    .operation: ModifyOperation Operation QueryOperation
    .query: AggregateCall AggregateQueryOperation ContextResolvedTable CorrelateQueryOperation DistinctQueryOperation ExternalQueryOperation
        FilterQueryOperation FromChangelogQueryOperation JoinQueryOperation JoinStrategy JoinType LookupHint LookupJoinQueryOperation
        LookupKey LookupSide MatchRecognizeQueryOperation ProcessTableFunctionQueryOperation ProjectQueryOperation PushedAbility PushedDown
        QUERY_OPERATIONS STATELESS_OPERATIONS SetOperationType SetQueryOperation SortOrder SortQueryOperation SourceQueryOperation StateTtl
        TableArgument TemporalJoinQueryOperation ToChangelogQueryOperation UnnestQueryOperation ValuesQueryOperation
        VersionedJoinQueryOperation WINDOW_COLUMNS WatermarkQueryOperation WindowBound WindowCall WindowFrame WindowQueryOperation
        WindowTableFunctionQueryOperation
    .subquery: OuterReferenceExpression SubqueryExpression contains_subquery has_outer_references is_outer map_outer_references
    .windows: CumulateWindow HopWindow SessionWindow TumbleWindow WINDOW_ASSIGNERS WindowAssigner WindowEmission
    """,
)
