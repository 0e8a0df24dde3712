"""Resolved expressions, which planners and connectors receive, and the types of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.expressions.aggregate_expression import AggregateExpression
    from table_common.expressions.algebra import (
        calls_of,
        conjunction,
        conjuncts,
        depth_of,
        disjunction,
        disjuncts,
        field_references,
        is_constant,
        is_deterministic,
        map_references,
        named_texts,
        references,
        remap,
        written_size,
    )
    from table_common.expressions.call_inference import InferredCall, infer_call, rearrange_named_arguments
    from table_common.expressions.expression import (
        CallExpression,
        ExpressionVisitor,
        FieldReferenceExpression,
        ResolvedExpression,
        TypeLiteralExpression,
        ValueLiteralExpression,
    )
    from table_common.expressions.literal_text import literal_to_sql
    from table_common.expressions.row_patterns import (
        ANY_VARIABLE,
        AfterMatch,
        MatchTime,
        PatternAggregate,
        PatternDefinition,
        PatternExpression,
        PatternVariable,
        RowNavigation,
    )
    from table_common.types.symbols import JsonBehavior, JsonNullHandling, JsonType, JsonWrapper, TimeUnit, TrimMode, symbol_of

__all__ = [
    "ANY_VARIABLE",
    "AfterMatch",
    "AggregateExpression",
    "CallExpression",
    "ExpressionVisitor",
    "FieldReferenceExpression",
    "InferredCall",
    "JsonBehavior",
    "JsonNullHandling",
    "JsonType",
    "JsonWrapper",
    "MatchTime",
    "PatternAggregate",
    "PatternDefinition",
    "PatternExpression",
    "PatternVariable",
    "ResolvedExpression",
    "RowNavigation",
    "TimeUnit",
    "TrimMode",
    "TypeLiteralExpression",
    "ValueLiteralExpression",
    "calls_of",
    "conjunction",
    "conjuncts",
    "depth_of",
    "disjunction",
    "disjuncts",
    "field_references",
    "infer_call",
    "is_constant",
    "is_deterministic",
    "literal_to_sql",
    "map_references",
    "named_texts",
    "rearrange_named_arguments",
    "references",
    "remap",
    "symbol_of",
    "written_size",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.expressions.aggregate_expression": ("AggregateExpression",),
        "table_common.expressions.algebra": (
            "calls_of",
            "conjunction",
            "conjuncts",
            "depth_of",
            "disjunction",
            "disjuncts",
            "field_references",
            "is_constant",
            "is_deterministic",
            "map_references",
            "named_texts",
            "references",
            "remap",
            "written_size",
        ),
        "table_common.expressions.call_inference": ("InferredCall", "infer_call", "rearrange_named_arguments"),
        "table_common.expressions.expression": (
            "CallExpression",
            "ExpressionVisitor",
            "FieldReferenceExpression",
            "ResolvedExpression",
            "TypeLiteralExpression",
            "ValueLiteralExpression",
        ),
        "table_common.expressions.literal_text": ("literal_to_sql",),
        "table_common.expressions.row_patterns": (
            "ANY_VARIABLE",
            "AfterMatch",
            "MatchTime",
            "PatternAggregate",
            "PatternDefinition",
            "PatternExpression",
            "PatternVariable",
            "RowNavigation",
        ),
        "table_common.types.symbols": (
            "JsonBehavior",
            "JsonNullHandling",
            "JsonType",
            "JsonWrapper",
            "TimeUnit",
            "TrimMode",
            "symbol_of",
        ),
    },
)
