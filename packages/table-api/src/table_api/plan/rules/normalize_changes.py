"""Puts the normalization of changes above what needs one: upsert sources, sources that may repeat changes, and functions of upserts."""

from __future__ import annotations

from table_api.operations import ProcessTableFunctionQueryOperation, QueryOperation, SourceQueryOperation
from table_api.operations.changelog import ChangelogNormalizeQueryOperation
from table_api.plan.calls import reference
from table_api.plan.context import RuleContext
from table_api.plan.facts.changelog_mode import is_upsert, may_repeat_changes, mode_of
from table_common.connector import RowKind, ScanTableSource
from table_common.exceptions import TableException
from table_common.tree import transform_up


def normalize_changes(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Adds a ``ChangelogNormalizeQueryOperation`` by primary key, or the key of partitions; changelog inference removes those that no reader needs."""

    def change(node: SourceQueryOperation) -> QueryOperation:
        if not isinstance(node.source, ScanTableSource):
            return node
        mode = mode_of(node)
        repeats = may_repeat_changes(node, context.session.configuration)
        lacks_columns = mode.contains(RowKind.DELETE) and mode.key_only_deletes
        if not (is_upsert(mode) or lacks_columns or repeats):
            return node
        key = node.table.table.resolved_schema.primary_key
        if key is None:
            if is_upsert(mode):
                what = "UPDATE_AFTER without UPDATE_BEFORE"
            elif lacks_columns:
                what = "deletions with only the key"
            else:
                what = "changes that may repeat, as 'table.exec.source.cdc-events-duplicate' says"
            raise TableException(
                f"Table {node.table.identifier.as_summary_string()} emits {what} ({mode}), so it needs a primary key.",
                hint="PRIMARY KEY (…) NOT ENFORCED",
            )
        names = node.resolved_schema.column_names
        return ChangelogNormalizeQueryOperation(tuple(reference(node, names.index(name)) for name in key.columns), node, repeats)

    def change_call(node: ProcessTableFunctionQueryOperation) -> QueryOperation:
        if not node.has_upserts:
            return node
        width = len(node.arguments[0].partition_by)
        if not width or len(node.columns_through(0)) != width:
            raise TableException(
                f"{node.function.name} emits UPDATE_AFTER without UPDATE_BEFORE, so its table needs PARTITION BY: its columns are the key.",
                hint="write TABLE t PARTITION BY k, or emit all kinds: ChangelogMode.all().kinds",
            )
        return ChangelogNormalizeQueryOperation(tuple(reference(node, position) for position in range(width)), node)

    root = transform_up(root, QueryOperation, change_call, of=ProcessTableFunctionQueryOperation)
    return transform_up(root, QueryOperation, change, of=SourceQueryOperation)
