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
from table_api.operations.changelog.deduplicate import DeduplicateQueryOperation
from table_api.operations.changelog.drop_update_before import DropUpdateBeforeQueryOperation
from table_api.operations.changelog.monotonicity import Monotonicity
from table_api.operations.changelog.rank import RankQueryOperation, RankStrategy

CHANGELOG_OPERATIONS = (
    RankQueryOperation,
    DeduplicateQueryOperation,
    ChangelogNormalizeQueryOperation,
    DropUpdateBeforeQueryOperation,
)
"""The query nodes that no statement is converted to: rules of streaming mode make them."""

__all__ = [
    "ALL_KINDS",
    "CHANGELOG_OPERATIONS",
    "INSERTS",
    "INSERT_ONLY",
    "ChangelogNormalizeQueryOperation",
    "Changes",
    "DeduplicateQueryOperation",
    "DeleteKind",
    "DropUpdateBeforeQueryOperation",
    "ModifyKind",
    "ModifyKindSet",
    "Monotonicity",
    "RankQueryOperation",
    "RankStrategy",
    "UpdateKind",
    "modify_kinds_of",
]
