"""Resolved expressions, as planners and connectors are handed them."""

from table_common.expressions.expression import (
    CallExpression,
    ExpressionVisitor,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.expressions.symbols import (
    JsonBehavior,
    JsonNullHandling,
    JsonType,
    JsonWrapper,
    TimeUnit,
    TrimMode,
    symbol_of,
)

__all__ = [
    "CallExpression",
    "ExpressionVisitor",
    "FieldReferenceExpression",
    "JsonBehavior",
    "JsonNullHandling",
    "JsonType",
    "JsonWrapper",
    "ResolvedExpression",
    "TimeUnit",
    "TrimMode",
    "TypeLiteralExpression",
    "ValueLiteralExpression",
    "symbol_of",
]
