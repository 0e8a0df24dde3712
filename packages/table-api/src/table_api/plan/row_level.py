"""DELETE and UPDATE: the way in which the sink supports them, and the rows that it receives."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    ContextResolvedTable,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SinkModifyOperation,
    SourceQueryOperation,
)
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.operations.operation import below
from table_api.plan.calls import case, reference
from table_api.plan.connectors_supporting import connectors_supporting
from table_api.plan.context import RuleContext
from table_api.plan.programs import ROW_LEVEL_CONDITION
from table_api.plan.rules.create_sinks import table_sink
from table_api.plan.rules.create_sources import create_sources
from table_common.catalog import Column
from table_common.connector import ChangelogMode, DynamicTableSink, RowKind
from table_common.connector.sink.abilities import (
    RowLevelDeleteMode,
    RowLevelUpdateMode,
    SupportsDeletePushDown,
    SupportsRowLevelDelete,
    SupportsRowLevelUpdate,
)
from table_common.connector.source.abilities import (
    RowLevelModificationScanContext,
    RowLevelModificationType,
    SupportsRowLevelModificationScan,
)
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression, ValueLiteralExpression, conjuncts, is_deterministic, references
from table_common.factories import FactoryUtil
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import transform_up
from table_common.types import TinyIntType

ROW_KIND_COLUMN = "$row_kind"
"""The last column of the rows, after the consumed columns: the row kind (``RowKind.value``)."""


@dataclass(frozen=True, slots=True)
class PushedDeletion:
    """A DELETE that the sink executes itself. ``filters`` is None if no row can match, so that nothing is deleted."""

    table: ContextResolvedTable
    sink: SupportsDeletePushDown
    filters: tuple[ResolvedExpression, ...] | None

    def __str__(self) -> str:
        """Returns a line of a plan."""
        shown = "nothing" if self.filters is None else ", ".join(map(str, self.filters)) or "all rows"
        summary = self.sink.as_summary_string() if isinstance(self.sink, DynamicTableSink) else ""
        return f"Delete(table=[{self.table.identifier.as_summary_string()}], sink=[{summary}], filters=[{shown}])"


def plan_delete(operation: DeleteOperation, context: RuleContext) -> PushedDeletion | SinkModifyOperation:
    """Returns the plan of a DELETE: pushed into the sink if it accepts the conditions, else with the deleted or remaining rows as input.

    Raises:
        ValidationException: the sink does neither.
    """
    table = operation.table
    sink = table_sink(table, {}, context)
    if isinstance(sink, SupportsDeletePushDown):
        pushed = _pushed(operation, sink, context)
        if pushed is not None:
            return pushed
    if not isinstance(sink, SupportsRowLevelDelete):
        raise _refused("DELETE", table, sink, SupportsDeletePushDown, SupportsRowLevelDelete)
    matching, scan_context = _with_modification(operation.matching, table, RowLevelModificationType.DELETE, context)
    info = sink.apply_row_level_delete(scan_context)
    columns = _required(info.required_columns, table)
    if info.row_level_delete_mode is RowLevelDeleteMode.DELETED_ROWS:
        return _write(_columns_of(matching, columns), matching, columns, table, sink, RowKind.DELETE)
    remaining, _ = _with_modification(operation.remaining, table, RowLevelModificationType.DELETE, context)
    return _write(_columns_of(remaining, columns), remaining, columns, table, sink, None)


def plan_update(operation: UpdateOperation, context: RuleContext) -> SinkModifyOperation:
    """Returns the plan of an UPDATE, with the updated rows or with all rows as input, as the sink requires.

    Raises:
        ValidationException: the sink does neither.
    """
    table = operation.table
    sink = table_sink(table, {}, context)
    if not isinstance(sink, SupportsRowLevelUpdate):
        raise _refused("UPDATE", table, sink, SupportsRowLevelUpdate)
    updated = [column for column in table.table.resolved_schema.columns if column.name in operation.columns]
    matching, scan_context = _with_modification(operation.matching, table, RowLevelModificationType.UPDATE, context)
    info = sink.apply_row_level_update(updated, scan_context)
    columns = _required(info.required_columns, table)
    only_changed = info.row_level_update_mode is RowLevelUpdateMode.UPDATED_ROWS
    child = matching if only_changed else _with_modification(operation.all_rows, table, RowLevelModificationType.UPDATE, context)[0]
    first = len(table.table.resolved_schema.columns)
    values = []
    for column, old in zip(columns, _columns_of(child, columns), strict=True):
        if column.name not in operation.columns:
            values.append(old)
            continue
        new: ResolvedExpression = reference(child, first + operation.columns.index(column.name))
        if not only_changed:
            hit = reference(child, len(child.resolved_schema.columns) - 1)
            new = case(hit, new, old, output_type=column.data_type.with_nullability(True))
        values.append(new)
    return _write(values, child, columns, table, sink, RowKind.UPDATE_AFTER if only_changed else None)


def _refused(what: str, table: ContextResolvedTable, sink: DynamicTableSink, *abilities: type) -> ValidationException:
    connector = table.table.options.get(FactoryUtil.CONNECTOR.key)
    condition = " with this condition" if what == "DELETE" and isinstance(sink, SupportsDeletePushDown) else ""
    return ValidationException(
        f"{what}{condition} is not supported by the connector '{connector}' of {table.identifier}.",
        hint=connectors_supporting(what, *abilities),
    )


def _pushed(operation: DeleteOperation, sink: DynamicTableSink, context: RuleContext) -> PushedDeletion | None:
    query = operation.matching
    for rule in ROW_LEVEL_CONDITION.rules:
        query = rule(query, context)
    query = below(query, ProjectQueryOperation)
    if query.is_known_empty:
        assert isinstance(sink, SupportsDeletePushDown)
        return PushedDeletion(operation.table, sink, None)
    filters: Sequence[ResolvedExpression] = ()
    if isinstance(query, FilterQueryOperation):
        filters, query = conjuncts(query.condition), query.child
    if not isinstance(query, SourceQueryOperation):
        return None
    width = len(query.physical_schema.columns)
    if not is_deterministic(filters) or any(position >= width for _, position in references(filters)):
        return None
    copied = sink.copy()
    assert isinstance(copied, SupportsDeletePushDown)
    return PushedDeletion(operation.table, copied, tuple(filters)) if copied.apply_delete_filters(filters) else None


def _with_modification(
    query: QueryOperation, table: ContextResolvedTable, modification: RowLevelModificationType, context: RuleContext
) -> tuple[QueryOperation, RowLevelModificationScanContext | None]:
    """Applies the modification to the sources of the table; returns the query and the scan context for the sink."""
    scan_context: RowLevelModificationScanContext | None = None

    def change(node: SourceQueryOperation) -> QueryOperation:
        nonlocal scan_context
        if node.table.identifier != table.identifier or node.source is None:
            return node
        if not isinstance(node.source, SupportsRowLevelModificationScan):
            return node
        source = node.source.copy()
        assert isinstance(source, SupportsRowLevelModificationScan)
        scan_context = source.apply_row_level_modification_scan(modification, scan_context)
        return replace(node, source=source)

    return transform_up(create_sources(query, context), QueryOperation, change, of=SourceQueryOperation), scan_context


def _required(names: Sequence[str] | None, table: ContextResolvedTable) -> list[Column]:
    columns = table.table.resolved_schema.columns
    if names is None:
        return [column for column in columns if column.is_physical()]
    by_name = {column.name: column for column in columns}
    for name in names:
        if name not in by_name:
            raise ValidationException.unknown("Column that the sink requires", name, by_name, where=str(table.identifier))
    return [by_name[name] for name in names]


def _columns_of(query: QueryOperation, columns: Sequence[Column]) -> list[ResolvedExpression]:
    schema = query.resolved_schema
    return [reference(query, schema.index_of(column.name)) for column in columns]


def _write(
    values: Sequence[ResolvedExpression],
    child: QueryOperation,
    columns: Sequence[Column],
    table: ContextResolvedTable,
    sink: DynamicTableSink,
    kind: RowKind | None,
) -> SinkModifyOperation:
    names = [column.name for column in columns]
    written = list(values)
    requested = ChangelogMode.insert_only() if kind is None else ChangelogMode(frozenset({kind}))
    row_kind = RowKind.INSERT if kind is None else kind
    if not sink.get_changelog_mode(requested).contains(row_kind):
        raise ValidationException(
            f"The sink {sink.as_summary_string()} of {table.identifier} must accept rows of kind {row_kind}, but its changelog mode is "
            f"{sink.get_changelog_mode(requested)}."
        )
    if kind is not None:
        names.append(ROW_KIND_COLUMN)
        written.append(ValueLiteralExpression(kind.value, TinyIntType(nullable=False)))
    rows = ProjectQueryOperation(tuple(written), tuple(names), child)
    return SinkModifyOperation(rows, table, sink=sink, consumed=tuple(columns), row_kind=kind)
