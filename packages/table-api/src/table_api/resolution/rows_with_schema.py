"""Rows of the program as a table with a declared schema: physical columns by name, computed columns, a watermark."""

from __future__ import annotations

from table_api.catalog import SchemaResolver
from table_api.operations import ProjectQueryOperation, QueryOperation
from table_api.resolution.casting import cast_to
from table_api.resolution.computed_columns import rows_with_columns
from table_common.catalog import ResolvedSchema, Schema, WatermarkSpec
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression, calls_of
from table_common.functions.builtin import temporal


def rows_with_schema(rows: QueryOperation, schema: Schema, resolver: SchemaResolver, *, has_event_time: bool) -> QueryOperation:
    """Returns the columns of ``schema`` over the rows; columns of the rows that it does not declare can be used in its expressions.

    Raises:
        ValidationException: the schema is invalid, or declares a physical column that the rows do not have.
    """
    given = rows.resolved_schema.columns
    declared = {column.name: column for column in schema.columns}
    builder = Schema.new_builder()
    for column in given:
        type_ = declared[column.name].data_type if column.name in declared else None
        builder.column(column.name, column.data_type if type_ is None else type_)
    names = [column.name for column in given]
    for declaration in schema.columns:
        if declaration.data_type is None:
            builder.add(declaration)
        elif declaration.name not in names:
            raise ValidationException.unknown("Column", declaration.name, names, where="the rows")
    for spec in schema.watermark_specs:
        builder.watermark(spec.column_name, spec.expression)
    if schema.primary_key is not None:  # its columns are checked
        builder.primary_key(*schema.primary_key.column_names)
    resolved = resolver.resolve(builder.build())
    typed = rows
    references = [FieldReferenceExpression(column.name, column.data_type, 0, position) for position, column in enumerate(given)]
    cells = [cast_to(reference, column.data_type) for reference, column in zip(references, resolved.columns, strict=False)]
    if cells != references:
        typed = ProjectQueryOperation(tuple(cells), tuple(names), rows)
    shown = list(resolved.columns)
    if any(column.data_type is not None for column in schema.columns):  # otherwise all columns of the rows come first
        by_name = {column.name: column for column in shown}
        shown = [by_name[name] for name in declared]
    return rows_with_columns(typed, shown, [_own_watermark(spec, resolved) for spec in resolved.watermark_specs] if has_event_time else ())


def _own_watermark(spec: WatermarkSpec, schema: ResolvedSchema) -> WatermarkSpec:
    """Returns the watermark; SOURCE_WATERMARK() is NULL, so that it stays before all rows until they end, as that of a stream without watermarks."""
    if not calls_of(temporal.SOURCE_WATERMARK, [spec.expression]):
        return spec
    (type_,) = (column.data_type for column in schema.columns if column.name == spec.rowtime_attribute)
    return WatermarkSpec(spec.rowtime_attribute, ValueLiteralExpression(None, type_.with_nullability(True)))
