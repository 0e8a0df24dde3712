"""The scan of a table with its computed and metadata columns and its watermark."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation, WatermarkQueryOperation
from table_api.resolution.casting import cast_to
from table_common.catalog import Column, ComputedColumn, PhysicalColumn, WatermarkSpec
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, field_references, map_references


def rows_of_table(source: SourceQueryOperation, *, has_event_time: bool) -> QueryOperation:
    """Returns the scan with a projection to the columns of the table above it; computed columns use physical and metadata columns.

    With ``has_event_time``, the watermark of the table is directly above the scan and the computed columns that it needs.
    """
    schema = source.table.table.resolved_schema
    specs = schema.watermark_specs if has_event_time else ()
    if not specs and all(isinstance(column, PhysicalColumn) for column in schema.columns):
        return source
    return rows_with_columns(source, schema.columns, specs)


def rows_with_columns(source: QueryOperation, columns: Sequence[Column], specs: Sequence[WatermarkSpec]) -> QueryOperation:
    """Returns the rows with a watermark directly above them, if there is one, and a projection to the columns above it."""
    readable = source.resolved_schema.columns
    places: dict[str, ResolvedExpression] = {c.name: FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(readable)}
    rows: QueryOperation = source
    for spec in specs:
        rows = _with_watermark(spec, columns, places, source)
    expressions = [_value(column, places) for column in columns]
    names = tuple(column.name for column in columns)
    if rows is not source and _are_columns_of(rows, names, expressions):
        return rows
    return ProjectQueryOperation(tuple(expressions), names, rows)


def _with_watermark(
    spec: WatermarkSpec, columns: Sequence[Column], places: dict[str, ResolvedExpression], source: QueryOperation
) -> QueryOperation:
    """Returns the watermark above the scan; adds the computed columns that it needs to ``places``."""
    needed = {spec.rowtime_attribute, *(reference.name for reference in field_references(spec.expression))}
    computed = {column.name: _value(column, places) for column in columns if column.name in needed and column.name not in places}
    rows: QueryOperation = source
    if computed:
        rows = ProjectQueryOperation((*places.values(), *computed.values()), (*places, *computed), source)
        for name, expression in computed.items():
            places[name] = FieldReferenceExpression(name, expression.output_type, 0, len(places))
    rowtime = places[spec.rowtime_attribute]
    assert isinstance(rowtime, FieldReferenceExpression)
    return WatermarkQueryOperation(rowtime, _placed(spec.expression, places), rows)


def _value(column: Column, places: dict[str, ResolvedExpression]) -> ResolvedExpression:
    """Returns a reference to a column in ``places``; for other columns their expression over ``places``."""
    if column.name in places or not isinstance(column, ComputedColumn) or column.expression is None:
        return places[column.name]
    return cast_to(_placed(column.expression, places), column.data_type)


def _placed(expression: ResolvedExpression, places: dict[str, ResolvedExpression]) -> ResolvedExpression:
    return map_references(expression, lambda reference: places[reference.name])


def _are_columns_of(rows: QueryOperation, names: Sequence[str], expressions: Sequence[ResolvedExpression]) -> bool:
    """Returns whether these are references to all columns of the rows, in order."""
    positions = [expression.field_index for expression in expressions if isinstance(expression, FieldReferenceExpression)]
    return rows.resolved_schema.column_names == tuple(names) and positions == list(range(len(expressions)))
