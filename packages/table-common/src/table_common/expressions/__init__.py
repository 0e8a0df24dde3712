"""Resolved expressions, which planners and connectors receive, and the types of calls."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .aggregate_expression: AggregateExpression
    .algebra: calls_of conjunction conjuncts depth_of disjunction disjuncts field_references is_constant is_deterministic map_references
        named_texts references remap written_size
    .call_inference: InferredCall infer_call rearrange_named_arguments
    .expression: CallExpression ExpressionVisitor FieldReferenceExpression ResolvedExpression TypeLiteralExpression ValueLiteralExpression
    .literal_text: literal_to_sql
    .row_patterns: ANY_VARIABLE AfterMatch MatchTime PatternAggregate PatternDefinition PatternExpression PatternVariable RowNavigation
    table_common.types.symbols: JsonBehavior JsonNullHandling JsonType JsonWrapper TimeUnit TrimMode symbol_of
    """,
)
