"""The query nodes that run on changelogs."""

from __future__ import annotations

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    WatermarkQueryOperation,
)
from table_api.operations.changelog import CHANGELOG_OPERATIONS as MADE_BY_RULES

__all__ = ["CHANGELOG_OPERATIONS"]

CHANGELOG_OPERATIONS: frozenset[type[QueryOperation]] = frozenset(
    {
        AggregateQueryOperation,
        DistinctQueryOperation,
        FilterQueryOperation,
        FromChangelogQueryOperation,
        JoinQueryOperation,
        LookupJoinQueryOperation,
        ProjectQueryOperation,
        SetQueryOperation,
        SourceQueryOperation,
        ToChangelogQueryOperation,
        UnnestQueryOperation,
        ValuesQueryOperation,
        WatermarkQueryOperation,
        *MADE_BY_RULES,
    }
)
"""Plans with other nodes run on rows, as they do in batch mode."""
