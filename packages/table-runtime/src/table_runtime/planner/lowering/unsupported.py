"""Query operations that the embedded engine does not support, with the reason."""

from __future__ import annotations

from table_api.operations import FromChangelogQueryOperation, ToChangelogQueryOperation, VersionedJoinQueryOperation

_NEEDS_CHANGES = "runs on changelogs, in streaming mode"
UNSUPPORTED: dict[type, str] = {
    ToChangelogQueryOperation: f"TO_CHANGELOG {_NEEDS_CHANGES}",
    FromChangelogQueryOperation: f"FROM_CHANGELOG {_NEEDS_CHANGES}",
    VersionedJoinQueryOperation: f"A join FOR SYSTEM_TIME AS OF an event time {_NEEDS_CHANGES}",
}
