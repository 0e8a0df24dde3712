"""The classes of nodes and constants allowed in compiled plans, by name. Reading a plan creates objects of these classes only."""

from __future__ import annotations

from enum import Enum

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit, SubqueryKind
from table_api.operations import (
    QUERY_OPERATIONS,
    AggregateCall,
    CorrelateQueryOperation,
    JoinType,
    OuterReferenceExpression,
    QueryOperation,
    SetOperationType,
    SinkModifyOperation,
    SortOrder,
    StateTtl,
    SubqueryExpression,
    TableArgument,
    WindowBound,
    WindowCall,
    WindowFrame,
)
from table_api.operations.query.lookup_join import LookupHint
from table_api.operations.query.temporal_join import TemporalJoinQueryOperation
from table_api.operations.windows import WINDOW_ASSIGNERS
from table_common.catalog import (
    ComputedColumn,
    MetadataColumn,
    PhysicalColumn,
    ResolvedSchema,
    TableDistribution,
    UniqueConstraint,
    WatermarkSpec,
)
from table_common.connector import RowKind
from table_common.expressions import (
    AfterMatch,
    CallExpression,
    FieldReferenceExpression,
    JsonBehavior,
    JsonNullHandling,
    JsonType,
    JsonWrapper,
    MatchTime,
    PatternAggregate,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    RowNavigation,
    TimeUnit,
    TrimMode,
    TypeLiteralExpression,
    ValueLiteralExpression,
)

_ENUMS: tuple[type[Enum], ...] = (
    FrameBoundKind,
    FrameUnit,
    SubqueryKind,
    JoinType,
    SetOperationType,
    RowKind,
    AfterMatch,
    JsonBehavior,
    JsonNullHandling,
    JsonType,
    JsonWrapper,
    TimeUnit,
    TrimMode,
)
_CLASSES: tuple[type, ...] = (
    *QUERY_OPERATIONS,
    CorrelateQueryOperation,
    TemporalJoinQueryOperation,
    LookupHint,
    SinkModifyOperation,
    *WINDOW_ASSIGNERS,
    AggregateCall,
    SortOrder,
    TableArgument,
    StateTtl,
    WindowBound,
    WindowCall,
    WindowFrame,
    OuterReferenceExpression,
    SubqueryExpression,
    CallExpression,
    FieldReferenceExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    MatchTime,
    PatternAggregate,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    RowNavigation,
    ComputedColumn,
    MetadataColumn,
    PhysicalColumn,
    ResolvedSchema,
    TableDistribution,
    UniqueConstraint,
    WatermarkSpec,
)


def short_name(cls: type) -> str:
    """Returns the name of a class in a compiled plan; for operations without the suffix."""
    return cls.__name__.removesuffix("QueryOperation") if issubclass(cls, QueryOperation) else cls.__name__


ENUMS = {cls.__name__: cls for cls in _ENUMS}
CLASSES = {short_name(cls): cls for cls in _CLASSES}
assert len(CLASSES) == len(_CLASSES)
