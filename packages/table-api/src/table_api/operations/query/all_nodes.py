"""The nodes of a query plan, listed."""

from __future__ import annotations

from table_api.operations.query.aggregate import AggregateQueryOperation
from table_api.operations.query.distinct import DistinctQueryOperation
from table_api.operations.query.filter import FilterQueryOperation
from table_api.operations.query.from_changelog import FromChangelogQueryOperation
from table_api.operations.query.join import JoinQueryOperation
from table_api.operations.query.lookup_join import LookupJoinQueryOperation
from table_api.operations.query.match_recognize import MatchRecognizeQueryOperation
from table_api.operations.query.process_table_function import ProcessTableFunctionQueryOperation
from table_api.operations.query.project import ProjectQueryOperation
from table_api.operations.query.set import SetQueryOperation
from table_api.operations.query.sort import SortQueryOperation
from table_api.operations.query.source import SourceQueryOperation
from table_api.operations.query.to_changelog import ToChangelogQueryOperation
from table_api.operations.query.unnest import UnnestQueryOperation
from table_api.operations.query.values import ValuesQueryOperation
from table_api.operations.query.versioned_join import VersionedJoinQueryOperation
from table_api.operations.query.watermark import WatermarkQueryOperation
from table_api.operations.query.window import WindowQueryOperation
from table_api.operations.query.window_table_function import WindowTableFunctionQueryOperation

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
    ProcessTableFunctionQueryOperation,
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
