"""The logical plan: what statements and Table API calls become, for every engine the same."""

from table_api.operations.modify import CollectModifyOperation, ModifyOperation, SinkModifyOperation
from table_api.operations.operation import Operation, QueryOperation
from table_api.operations.query import (
    QUERY_OPERATIONS,
    AggregateCall,
    AggregateQueryOperation,
    ContextResolvedTable,
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
    ValuesQueryOperation,
)

__all__ = [
    "QUERY_OPERATIONS",
    "AggregateCall",
    "AggregateQueryOperation",
    "CollectModifyOperation",
    "ContextResolvedTable",
    "DistinctQueryOperation",
    "ExternalQueryOperation",
    "FilterQueryOperation",
    "JoinQueryOperation",
    "JoinType",
    "ModifyOperation",
    "Operation",
    "ProjectQueryOperation",
    "QueryOperation",
    "SetOperationType",
    "SetQueryOperation",
    "SinkModifyOperation",
    "SortOrder",
    "SortQueryOperation",
    "SourceQueryOperation",
    "ValuesQueryOperation",
]
