"""Rewrites subqueries in expressions and LATERAL to joins and aggregates; later rules and engines see neither.

EXISTS and IN as conjuncts of WHERE become semi-joins, NOT EXISTS and NOT IN anti-joins. Elsewhere the value of the subquery is joined to
the rows that use it. ``table_api.plan.decorrelation`` decorrelates the subquery first.
"""

from __future__ import annotations

from table_api.operations import (
    CorrelateQueryOperation,
    QueryOperation,
    SubqueryExpression,
    ValuesQueryOperation,
    contains_subquery,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts
from table_api.plan.rules.lower_scalar_queries import lower_scalar_queries
from table_common.expressions import (
    ResolvedExpression,
)
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up


def subquery_to_join(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan without subqueries in expressions; the plan itself if it has none.

    Raises:
        TableException: a subquery is used where its value cannot be joined to the rows that use it.
    """
    queries: dict[int, QueryOperation] = {}
    kept: list[QueryOperation] = []  # keeps the nodes alive, so that their ids stay unique

    def rewrite(query: QueryOperation) -> QueryOperation:
        if id(query) not in queries:
            kept.append(query)
            prepared = lower_scalar_queries(extract_common_conjuncts(query, context))
            queries[id(query)] = transform_up(prepared, QueryOperation, change)
        return queries[id(query)]

    def inner(node: SubqueryExpression) -> ResolvedExpression:
        query = rewrite(node.query)
        return node if query is node.query else replace(node, query=query)

    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, CorrelateQueryOperation):
            from table_api.plan.decorrelation.joined_subqueries import correlate  # few queries have LATERAL

            return correlate(node)
        expressions = [cell for row in node.rows for cell in row] if isinstance(node, ValuesQueryOperation) else node.expressions
        if not any(map(contains_subquery, expressions)):
            return node
        from table_api.plan.decorrelation.joined_subqueries import rewrite_node  # few queries have subqueries

        return rewrite_node(node, lambda expression: transform_up(expression, ResolvedExpression, inner, of=SubqueryExpression))

    return rewrite(root)
