"""Properties of changelog sources: their mode, and whether their changes may repeat."""

from __future__ import annotations

from table_api.operations import SourceQueryOperation
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ChangelogMode, RowKind, ScanTableSource


def mode_of(node: SourceQueryOperation) -> ChangelogMode:
    """Returns the changelog mode of a scan whose source has been created."""
    assert isinstance(node.source, ScanTableSource)
    return node.source.get_changelog_mode()


def is_upsert(mode: ChangelogMode) -> bool:
    """Whether updates have no UPDATE_BEFORE row."""
    return mode.contains(RowKind.UPDATE_AFTER) and not mode.contains(RowKind.UPDATE_BEFORE)


def may_repeat_changes(node: SourceQueryOperation, configuration: ReadableConfig) -> bool:
    """Whether the source may emit duplicate changes according to the session's options; only a primary key makes duplicates recognizable."""
    is_set = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SOURCE_CDC_EVENTS_DUPLICATE)
    return is_set and not mode_of(node).contains_only(RowKind.INSERT)
