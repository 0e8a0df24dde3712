"""Pushes projections into sources: a source reads only the used columns."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.row_count_column import cheapest_column
from table_api.plan.rules.push_nested_projection_into_scan import PushedProjection
from table_common.catalog import ResolvedSchema
from table_common.connector.source.abilities import SupportsProjectionPushDown, SupportsReadingMetadata
from table_common.expressions import FieldReferenceExpression, references, remap
from table_common.tree import transform_up
from table_common.types import RowType


def push_projection_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Pushes the columns that a projection uses into the source below it; a filter may stand in between."""

    def change(node: ProjectQueryOperation) -> QueryOperation:
        between = node.child if isinstance(node.child, FilterQueryOperation) else None
        scan = between.child if between is not None else node.child
        if not isinstance(scan, SourceQueryOperation) or scan.source is None or scan.pushed.changes_columns:
            return node
        expressions = [*node.projection, *([between.condition] if between is not None else [])]
        positions = {position for _, position in references(expressions)}
        used = _columns_read(scan, sorted(positions))
        if len(used) == len(scan.resolved_schema.columns):
            return node
        pushed = _reading_only(scan, used)
        moved = {old: new for new, old in enumerate(used)}
        child: QueryOperation = pushed
        if between is not None:
            child = FilterQueryOperation(remap(between.condition, moved), pushed)
        return _without_trivial(ProjectQueryOperation(tuple(remap(e, moved) for e in node.projection), node.names, child))

    return transform_up(root, QueryOperation, change, of=ProjectQueryOperation)


def _columns_read(scan: SourceQueryOperation, used: Sequence[int]) -> list[int]:
    """Returns the positions of the columns that the source must read if these are used; may include others."""
    assert scan.source is not None
    width = len(scan.physical_schema.columns)
    behind = width + len(scan.metadata_columns)
    physical = [position for position in used if position < width]
    metadata = [position for position in used if width <= position < behind]
    # The row kind is always read.
    change = [behind] if scan.change_column is not None else []
    if not isinstance(scan.source, SupportsProjectionPushDown):
        physical = list(range(width))
    elif not physical and not metadata:
        physical = [cheapest_column(scan.physical_schema)]  # without used columns the rows must still be counted
    return [*physical, *metadata, *change]


def _reading_only(scan: SourceQueryOperation, used: Sequence[int]) -> SourceQueryOperation:
    """Returns the scan of these columns."""
    assert scan.source is not None
    width = len(scan.physical_schema.columns)
    columns = scan.resolved_schema.columns
    physical = [position for position in used if position < width]
    metadata = [position for position in used if width <= position < width + len(scan.metadata_columns)]
    source = scan.source.copy()
    types = [(columns[i].name, columns[i].data_type) for i in (*physical, *metadata)]
    if isinstance(source, SupportsProjectionPushDown) and len(physical) < width:
        source.apply_projection([(i,) for i in physical], RowType.of(types[: len(physical)], nullable=False))
    if isinstance(source, SupportsReadingMetadata) and scan.metadata_columns:
        keys = [scan.metadata_columns[i - width].key for i in metadata]
        source.apply_readable_metadata(keys, RowType.of(types, nullable=False))
    produced = ResolvedSchema(tuple(columns[position] for position in used))
    return scan.with_pushed(source, PushedProjection(tuple((position,) for position in used)), produced)


def _without_trivial(node: ProjectQueryOperation) -> QueryOperation:
    schema = node.child.resolved_schema
    trivial = node.names == schema.column_names and all(
        isinstance(e, FieldReferenceExpression) and e.field_index == i for i, e in enumerate(node.projection)
    )
    return node.child if trivial else node
