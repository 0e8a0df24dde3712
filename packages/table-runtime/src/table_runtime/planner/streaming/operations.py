"""The query nodes that run on changelogs."""

from __future__ import annotations

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    MatchRecognizeQueryOperation,
    ProcessTableFunctionQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import CHANGELOG_OPERATIONS as MADE_BY_RULES

CHANGELOG_OPERATIONS: frozenset[type[QueryOperation]] = frozenset(
    {
        AggregateQueryOperation,
        DistinctQueryOperation,
        FilterQueryOperation,
        FromChangelogQueryOperation,
        JoinQueryOperation,
        LookupJoinQueryOperation,
        MatchRecognizeQueryOperation,
        ProcessTableFunctionQueryOperation,
        ProjectQueryOperation,
        SetQueryOperation,
        SourceQueryOperation,
        ToChangelogQueryOperation,
        UnnestQueryOperation,
        ValuesQueryOperation,
        VersionedJoinQueryOperation,
        WatermarkQueryOperation,
        WindowTableFunctionQueryOperation,
        *MADE_BY_RULES,
    }
)
"""A plan with any other node is refused in streaming mode."""
