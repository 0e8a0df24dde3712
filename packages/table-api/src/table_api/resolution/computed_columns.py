"""The computed columns of a table that is read."""

from __future__ import annotations

from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.resolution.casting import cast_to
from table_common.catalog import Column, ComputedColumn, PhysicalColumn
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression

__all__ = ["with_computed_columns"]


def with_computed_columns(source: SourceQueryOperation) -> QueryOperation:
    """Returns the scan with the computed columns of the table above it; their expressions are over the physical columns."""
    columns: tuple[Column, ...] = source.table.table.resolved_schema.columns
    if all(isinstance(column, PhysicalColumn) for column in columns):
        return source
    physical = {c.name: i for i, c in enumerate(source.physical_schema.columns)}
    expressions: list[ResolvedExpression] = []
    for column in columns:
        if isinstance(column, ComputedColumn) and column.expression is not None:
            expressions.append(cast_to(column.expression, column.data_type))
        elif column.is_physical:
            expressions.append(FieldReferenceExpression(column.name, column.data_type, 0, physical[column.name]))
        else:
            raise ValidationException(f"The metadata column '{column.name}' of {source.table.identifier} cannot be read in this version.")
    return ProjectQueryOperation(tuple(expressions), tuple(column.name for column in columns), source)
