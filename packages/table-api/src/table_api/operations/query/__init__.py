"""The nodes of a query plan, one file each."""

from table_api.operations.query.aggregate import AggregateCall, AggregateQueryOperation
from table_api.operations.query.correlate import CorrelateQueryOperation
from table_api.operations.query.distinct import DistinctQueryOperation
from table_api.operations.query.external import ExternalQueryOperation
from table_api.operations.query.filter import FilterQueryOperation
from table_api.operations.query.from_changelog import FromChangelogQueryOperation
from table_api.operations.query.join import JoinQueryOperation, JoinStrategy, JoinType
from table_api.operations.query.lookup_join import LookupHint, LookupJoinQueryOperation, LookupKey, LookupSide
from table_api.operations.query.match_recognize import MatchRecognizeQueryOperation
from table_api.operations.query.project import ProjectQueryOperation
from table_api.operations.query.pushed_down import PushedAbility, PushedDown
from table_api.operations.query.set import SetOperationType, SetQueryOperation
from table_api.operations.query.sort import SortOrder, SortQueryOperation
from table_api.operations.query.source import ContextResolvedTable, SourceQueryOperation
from table_api.operations.query.state_ttl import StateTtl
from table_api.operations.query.temporal_join import TemporalJoinQueryOperation
from table_api.operations.query.to_changelog import ToChangelogQueryOperation
from table_api.operations.query.unnest import UnnestQueryOperation
from table_api.operations.query.values import ValuesQueryOperation
from table_api.operations.query.versioned_join import VersionedJoinQueryOperation
from table_api.operations.query.watermark import WatermarkQueryOperation
from table_api.operations.query.window import WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_api.operations.query.window_table_function import WINDOW_COLUMNS, WindowTableFunctionQueryOperation

QUERY_OPERATIONS = (
    SourceQueryOperation,
    WatermarkQueryOperation,
    ProjectQueryOperation,
    FilterQueryOperation,
    AggregateQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    SetQueryOperation,
    DistinctQueryOperation,
    SortQueryOperation,
    ValuesQueryOperation,
    UnnestQueryOperation,
    MatchRecognizeQueryOperation,
    ToChangelogQueryOperation,
    FromChangelogQueryOperation,
    VersionedJoinQueryOperation,
)
"""Every query node that an engine lowers or refuses with a reason."""

STATELESS_OPERATIONS = (
    WatermarkQueryOperation,
    ProjectQueryOperation,
    FilterQueryOperation,
    LookupJoinQueryOperation,
    UnnestQueryOperation,
)
"""The query nodes whose result for a row depends on that row of their only input alone."""

__all__ = [
    "QUERY_OPERATIONS",
    "STATELESS_OPERATIONS",
    "WINDOW_COLUMNS",
    "AggregateCall",
    "AggregateQueryOperation",
    "ContextResolvedTable",
    "CorrelateQueryOperation",
    "DistinctQueryOperation",
    "ExternalQueryOperation",
    "FilterQueryOperation",
    "FromChangelogQueryOperation",
    "JoinQueryOperation",
    "JoinStrategy",
    "JoinType",
    "LookupHint",
    "LookupJoinQueryOperation",
    "LookupKey",
    "LookupSide",
    "MatchRecognizeQueryOperation",
    "ProjectQueryOperation",
    "PushedAbility",
    "PushedDown",
    "SetOperationType",
    "SetQueryOperation",
    "SortOrder",
    "SortQueryOperation",
    "SourceQueryOperation",
    "StateTtl",
    "TemporalJoinQueryOperation",
    "ToChangelogQueryOperation",
    "UnnestQueryOperation",
    "ValuesQueryOperation",
    "VersionedJoinQueryOperation",
    "WatermarkQueryOperation",
    "WindowBound",
    "WindowCall",
    "WindowFrame",
    "WindowQueryOperation",
    "WindowTableFunctionQueryOperation",
]
