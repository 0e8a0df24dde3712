"""Resolved expressions, as planners and connectors are handed them."""

from table_common.expressions.expression import (
    CallExpression,
    ExpressionVisitor,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)

__all__ = [
    "CallExpression",
    "ExpressionVisitor",
    "FieldReferenceExpression",
    "ResolvedExpression",
    "TypeLiteralExpression",
    "ValueLiteralExpression",
]
