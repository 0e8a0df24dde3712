"""Sinks in changelog inference: their demands on the changes of the query, the materializer in front of them, and ON CONFLICT.

The materializer keeps rows by their primary key, where that does not identify the rows of the query.
"""

from __future__ import annotations

from collections.abc import Iterator

from table_api.operations import ModifyOperation, QueryOperation, SinkModifyOperation, SourceQueryOperation
from table_api.operations.changelog import DeleteKind, ModifyKind, UpdateKind
from table_api.operations.changelog.changes import Changes
from table_api.plan.facts.change_origin import origin_of_updates
from table_api.plan.facts.record import FULL, Demand, InputFacts
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import ChangelogMode, RowKind
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import nodes_of


def sink_demands(operation: ModifyOperation, child: InputFacts, configuration: ReadableConfig) -> Iterator[Demand]:
    """Yields the demands that the sink of a query can have, in order of preference.

    Raises:
        ValidationException: the query updates or deletes rows, and the sink does not accept that.
    """
    if not isinstance(operation, SinkModifyOperation) or operation.sink is None:
        yield FULL
        return
    mode = operation.sink.get_changelog_mode(_requested_mode(child))
    refused = [
        kind
        for kind, row_kind in ((ModifyKind.UPDATE, RowKind.UPDATE_AFTER), (ModifyKind.DELETE, RowKind.DELETE))
        if kind in child.kinds and not mode.contains(row_kind)
    ]
    if refused:
        raise _refused(operation, refused)
    deletes = DeleteKind.DELETE_BY_KEY if mode.key_only_deletes else DeleteKind.FULL_DELETE
    if not operation.upsert_materialize and not mode.contains(RowKind.UPDATE_BEFORE) and identifies_rows(operation, child):
        yield Demand(UpdateKind.ONLY_UPDATE_AFTER, deletes)
    yield FULL


def _refused(operation: SinkModifyOperation, refused: list[ModifyKind]) -> ValidationException:
    words = {ModifyKind.UPDATE: "updates", ModifyKind.DELETE: "deletions"}
    what = " and ".join(words[kind] for kind in refused)
    table = operation.table.identifier.as_summary_string()
    return ValidationException(
        f"Table {table} accepts no {what}, but the query produces {what}: {origin_of_updates(operation.child)}.",
        hint="Group by a window too (TUMBLE …), write to a table with a primary key whose connector accepts updates, "
        "or store the changes as rows with TO_CHANGELOG.",
    )


def with_materializer(operation: SinkModifyOperation, child: InputFacts, configuration: ReadableConfig) -> SinkModifyOperation:
    """Returns the insertion, with ``upsert_materialize`` if the rows of each primary key must be stored in front of the sink.

    Raises:
        ValidationException: ON CONFLICT is missing, or is not possible for this table and query.
    """
    assert operation.sink is not None
    is_append = operation.sink.get_changelog_mode(_requested_mode(child)).contains_only(RowKind.INSERT)
    # A sink that adapts to the query takes what it is asked for; one that writes changes as they are wants UPDATE_BEFORE in any case.
    is_retract = operation.sink.get_changelog_mode(ChangelogMode.upsert()).contains(RowKind.UPDATE_BEFORE)
    has_key = operation.table.table.resolved_schema.primary_key is not None
    if operation.on_conflict is not None:
        _check_conflict(operation, is_append=is_append, is_retract=is_retract, has_key=has_key)
    setting = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_UPSERT_MATERIALIZE)
    if setting == "NONE" or is_retract or not has_key:
        return operation
    if setting == "FORCE":
        return replace(operation, upsert_materialize=True)
    # Without updates each insertion overwrites the row of its key, as DEDUPLICATE requires; the other strategies need all rows of a key.
    # Differs from Flink: insertions alone need no ON CONFLICT in front of an upsert sink with another key; Flink asks for it.
    replaces = child.kinds <= {ModifyKind.INSERT} and operation.on_conflict in (None, "DEDUPLICATE")
    if is_append or replaces or identifies_rows(operation, child):
        return operation
    if operation.on_conflict is None and configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_REQUIRE_ON_CONFLICT):
        raise _missing(operation, child)
    return replace(operation, upsert_materialize=True)


def _requested_mode(child: InputFacts) -> ChangelogMode:
    """Returns the changelog mode of a query, which the sink is asked to accept."""
    return Changes(
        child.kinds,
        UpdateKind.BEFORE_AND_AFTER if child.has_updates else UpdateKind.NONE,
        DeleteKind.FULL_DELETE if child.has_deletes else DeleteKind.NONE,
    ).changelog_mode


def identifies_rows(operation: SinkModifyOperation, child: InputFacts) -> bool:
    """Whether the sink's primary key contains an upsert key of the query."""
    key = operation.table.table.resolved_schema.primary_key
    if key is None:
        return False
    names = [column.name for column in operation.consumed_columns]
    positions = {names.index(name) for name in key.columns if name in names}
    return any(unique <= positions for unique in child.upsert_keys)


def _check_conflict(operation: SinkModifyOperation, *, is_append: bool, is_retract: bool, has_key: bool) -> None:
    table = operation.table.identifier.as_summary_string()
    clause = f"ON CONFLICT DO {operation.on_conflict}"
    if not has_key:
        # Differs from Flink: ON CONFLICT is refused on a table without primary key; Flink ignores it there.
        raise ValidationException(
            f"{clause} needs a primary key, and table {table} has none.",
            hint="Declare PRIMARY KEY (…) NOT ENFORCED, or remove the clause.",
        )
    if is_append:
        raise ValidationException(
            f"{clause} requires a sink that accepts updates, and table {table} accepts only insertions.", hint="Remove the clause."
        )
    if is_retract:
        raise ValidationException(
            f"{clause} requires a sink that stores rows by their key, and table {table} writes every change as it is.",
            hint="Remove the clause.",
        )
    if operation.on_conflict == "DEDUPLICATE":
        return
    without = sorted(
        {
            node.table.identifier.as_summary_string()
            for node in nodes_of(operation.child, QueryOperation, SourceQueryOperation)
            if not node.table.table.resolved_schema.watermark_specs
        }
    )
    if without:
        raise ValidationException(
            f"{clause} waits for event time, but these tables have no watermark: {', '.join(without)}.",
            hint="Declare WATERMARK FOR … in them, or use ON CONFLICT DO DEDUPLICATE.",
        )


def _missing(operation: SinkModifyOperation, child: InputFacts) -> ValidationException:
    columns = [column.name for column in operation.consumed_columns]
    keys = sorted(", ".join(columns[i] for i in sorted(key)) for key in child.upsert_keys)
    has = f"identifies rows by ({keys[0]})" if keys else "has no upsert key"
    key = operation.table.table.resolved_schema.primary_key
    assert key is not None
    return ValidationException(
        f"Table {operation.table.identifier.as_summary_string()} has the primary key ({', '.join(key.columns)}), but the query "
        f"{has}: several of its rows can have the same primary key. Its rows are updated by {origin_of_updates(operation.child)}.",
        hint="Choose which of them is written: ON CONFLICT DO DEDUPLICATE (the last), DO NOTHING (the first) or DO ERROR; "
        "or set 'table.exec.sink.require-on-conflict' = 'false', which writes the last.",
    )
