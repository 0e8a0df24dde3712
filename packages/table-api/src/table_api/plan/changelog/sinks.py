"""The demands of sinks on the changes of the query that they write."""

from __future__ import annotations

from collections.abc import Iterator

from table_api.operations import ModifyOperation, SinkModifyOperation
from table_api.operations.changelog import DeleteKind, ModifyKind, UpdateKind
from table_api.plan.changelog.conflicts import identifies_rows, requested_mode
from table_api.plan.facts.change_origin import origin_of_updates
from table_api.plan.facts.record import FULL, Demand, InputFacts
from table_common.configuration import ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import ValidationException


def sink_demands(operation: ModifyOperation, child: InputFacts, configuration: ReadableConfig) -> Iterator[Demand]:
    """Yields the demands that the sink of a query can have, in order of preference.

    Raises:
        ValidationException: the query updates or deletes rows, and the sink does not accept that.
    """
    if not isinstance(operation, SinkModifyOperation) or operation.sink is None:
        yield FULL
        return
    mode = operation.sink.get_changelog_mode(requested_mode(child))
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
