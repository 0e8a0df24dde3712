"""Resolved expressions, as planners and connectors are handed them."""

from table_common.expressions.expression import (
    CallExpression,
    ExpressionVisitor,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.expressions.literal_text import literal_to_sql
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
    "literal_to_sql",
    "symbol_of",
]
