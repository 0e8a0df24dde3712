"""The columns of a table that is read which are not simply in its rows: computed and metadata columns."""

from __future__ import annotations

from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.resolution.casting import cast_to
from table_common.catalog import Column, ComputedColumn, PhysicalColumn
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import transform_up

__all__ = ["with_computed_columns"]


def with_computed_columns(source: SourceQueryOperation) -> QueryOperation:
    """Returns the scan with the columns of the table in their order above it; computed ones are over physical and metadata columns."""
    columns: tuple[Column, ...] = source.table.table.resolved_schema.columns
    if all(isinstance(column, PhysicalColumn) for column in columns):
        return source
    positions = {column.name: index for index, column in enumerate(source.resolved_schema.columns)}

    def placed(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, FieldReferenceExpression):
            return FieldReferenceExpression(node.name, node.output_type, 0, positions[node.name])
        return node

    expressions: list[ResolvedExpression] = []
    for column in columns:
        if isinstance(column, ComputedColumn) and column.expression is not None:
            expressions.append(cast_to(transform_up(column.expression, ResolvedExpression, placed), column.data_type))
        else:
            expressions.append(FieldReferenceExpression(column.name, column.data_type, 0, positions[column.name]))
    return ProjectQueryOperation(tuple(expressions), tuple(column.name for column in columns), source)
