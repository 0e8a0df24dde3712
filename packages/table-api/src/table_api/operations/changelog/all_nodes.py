"""The nodes that only rules of streaming mode create, listed."""

from __future__ import annotations

from table_api.operations.changelog.changelog_normalize import ChangelogNormalizeQueryOperation
from table_api.operations.changelog.current_rows_join import CurrentRowsJoinQueryOperation
from table_api.operations.changelog.deduplicate import DeduplicateQueryOperation
from table_api.operations.changelog.drop_update_before import DropUpdateBeforeQueryOperation
from table_api.operations.changelog.interval_join import IntervalJoinQueryOperation
from table_api.operations.changelog.over_aggregate import OverAggregateQueryOperation
from table_api.operations.changelog.rank import RankQueryOperation
from table_api.operations.changelog.sort_at_end import SortAtEndQueryOperation
from table_api.operations.changelog.temporal_sort import TemporalSortQueryOperation
from table_api.operations.changelog.updating_over import UpdatingOverQueryOperation
from table_api.operations.changelog.window_aggregate import WindowAggregateQueryOperation
from table_api.operations.changelog.window_join import WindowJoinQueryOperation
from table_api.operations.changelog.window_rank import WindowRankQueryOperation

CHANGELOG_OPERATIONS = (
    RankQueryOperation,
    DeduplicateQueryOperation,
    ChangelogNormalizeQueryOperation,
    DropUpdateBeforeQueryOperation,
    CurrentRowsJoinQueryOperation,
    IntervalJoinQueryOperation,
    OverAggregateQueryOperation,
    SortAtEndQueryOperation,
    TemporalSortQueryOperation,
    UpdatingOverQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
"""The query nodes that only rules of streaming mode create."""
