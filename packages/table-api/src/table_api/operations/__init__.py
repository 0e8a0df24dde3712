"""The logical plan: what statements and Table API calls become, for every engine the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
    from table_api.operations.modify import CollectModifyOperation, ModifyOperation, SinkModifyOperation
    from table_api.operations.operation import Operation, QueryOperation
    from table_api.operations.query import (
        QUERY_OPERATIONS,
        AggregateCall,
        AggregateQueryOperation,
        ContextResolvedTable,
        CorrelateQueryOperation,
        DistinctQueryOperation,
        ExternalQueryOperation,
        FilterQueryOperation,
        JoinQueryOperation,
        JoinType,
        ProjectQueryOperation,
        SetOperationType,
        SetQueryOperation,
        SortOrder,
        SortQueryOperation,
        SourceQueryOperation,
        UnnestQueryOperation,
        ValuesQueryOperation,
        WindowBound,
        WindowCall,
        WindowFrame,
        WindowQueryOperation,
    )
    from table_api.operations.subquery import (
        OuterReferenceExpression,
        SubqueryExpression,
        contains_subquery,
        has_outer_references,
        is_outer,
        map_outer_references,
    )

__all__ = [
    "QUERY_OPERATIONS",
    "AggregateCall",
    "AggregateQueryOperation",
    "CollectModifyOperation",
    "ContextResolvedTable",
    "CorrelateQueryOperation",
    "DistinctQueryOperation",
    "ExternalQueryOperation",
    "FilterQueryOperation",
    "FrameBoundKind",
    "FrameUnit",
    "JoinQueryOperation",
    "JoinType",
    "ModifyOperation",
    "Operation",
    "OuterReferenceExpression",
    "ProjectQueryOperation",
    "QueryOperation",
    "SetOperationType",
    "SetQueryOperation",
    "SinkModifyOperation",
    "SortOrder",
    "SortQueryOperation",
    "SourceQueryOperation",
    "SubqueryExpression",
    "UnnestQueryOperation",
    "ValuesQueryOperation",
    "WindowBound",
    "WindowCall",
    "WindowFrame",
    "WindowQueryOperation",
    "contains_subquery",
    "has_outer_references",
    "is_outer",
    "map_outer_references",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.expressions.unresolved": ("FrameBoundKind", "FrameUnit"),
        "table_api.operations.modify": ("CollectModifyOperation", "ModifyOperation", "SinkModifyOperation"),
        "table_api.operations.operation": ("Operation", "QueryOperation"),
        "table_api.operations.query": (
            "QUERY_OPERATIONS",
            "AggregateCall",
            "AggregateQueryOperation",
            "ContextResolvedTable",
            "CorrelateQueryOperation",
            "DistinctQueryOperation",
            "ExternalQueryOperation",
            "FilterQueryOperation",
            "JoinQueryOperation",
            "JoinType",
            "ProjectQueryOperation",
            "SetOperationType",
            "SetQueryOperation",
            "SortOrder",
            "SortQueryOperation",
            "SourceQueryOperation",
            "UnnestQueryOperation",
            "ValuesQueryOperation",
            "WindowBound",
            "WindowCall",
            "WindowFrame",
            "WindowQueryOperation",
        ),
        "table_api.operations.subquery": (
            "OuterReferenceExpression",
            "SubqueryExpression",
            "contains_subquery",
            "has_outer_references",
            "is_outer",
            "map_outer_references",
        ),
    },
)
