"""Streaming plans: the changes on each edge, and the query nodes that only changelog rules create."""

from table_api.operations.changelog.changelog_normalize import ChangelogNormalizeQueryOperation
from table_api.operations.changelog.changes import (
    ALL_KINDS,
    INSERT_ONLY,
    INSERTS,
    Changes,
    DeleteKind,
    ModifyKind,
    ModifyKindSet,
    UpdateKind,
    modify_kinds_of,
)
from table_api.operations.changelog.current_rows_join import CurrentRowsJoinQueryOperation
from table_api.operations.changelog.deduplicate import DeduplicateQueryOperation
from table_api.operations.changelog.drop_update_before import DropUpdateBeforeQueryOperation
from table_api.operations.changelog.interval_join import IntervalJoinQueryOperation
from table_api.operations.changelog.over_aggregate import OverAggregateQueryOperation
from table_api.operations.changelog.rank import RankQueryOperation, RankStrategy
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

__all__ = [
    "ALL_KINDS",
    "CHANGELOG_OPERATIONS",
    "INSERTS",
    "INSERT_ONLY",
    "ChangelogNormalizeQueryOperation",
    "Changes",
    "CurrentRowsJoinQueryOperation",
    "DeduplicateQueryOperation",
    "DeleteKind",
    "DropUpdateBeforeQueryOperation",
    "IntervalJoinQueryOperation",
    "ModifyKind",
    "ModifyKindSet",
    "OverAggregateQueryOperation",
    "RankQueryOperation",
    "RankStrategy",
    "SortAtEndQueryOperation",
    "TemporalSortQueryOperation",
    "UpdateKind",
    "UpdatingOverQueryOperation",
    "WindowAggregateQueryOperation",
    "WindowJoinQueryOperation",
    "WindowRankQueryOperation",
    "modify_kinds_of",
]
