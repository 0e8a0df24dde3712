"""Puts what only the session knows into the plan: engines never see CURRENT_DATABASE."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.tree import map_children_of, transform_up

__all__ = ["fold_session_constants"]


def fold_session_constants(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces CURRENT_DATABASE by the name of the database that is current when the query is planned."""
    current_database = BUILT_INS_BY_NAME["CURRENT_DATABASE"]

    def fold_expression(expression: ResolvedExpression) -> ResolvedExpression:
        return transform_up(expression, ResolvedExpression, constant)

    def constant(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, CallExpression) and node.function is current_database:
            name = context.session.tables.qualify(("t",)).database_name
            return ValueLiteralExpression(name, node.output_type)
        return node

    return transform_up(root, QueryOperation, lambda operation: map_children_of(operation, ResolvedExpression, fold_expression))
