"""The query of CREATE TABLE AS and of a materialized table, with the columns of the table."""

from __future__ import annotations

from table_api.operations import ProjectQueryOperation, QueryOperation
from table_api.resolution.casting import cast_to
from table_common.catalog import CatalogTable
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types import parse_logical_type, supports_implicit_cast


def fitted_to_table(query: QueryOperation, table: CatalogTable, position: SourcePosition | None = None) -> QueryOperation:
    """Projects a query to the persisted columns of a table, by name and with implicit casts; a column that the query lacks is NULL.

    Raises:
        ValidationException: a column cannot be cast, or is NOT NULL and the query lacks it.
    """
    schema = query.resolved_schema
    expressions: list[ResolvedExpression] = []
    names = []
    for column in table.schema.columns:
        if column.expression is not None or (column.is_metadata and column.is_virtual):
            continue
        data_type = parse_logical_type(column.data_type) if isinstance(column.data_type, str) else column.data_type
        assert data_type is not None
        if column.name in schema.column_names:
            index = schema.index_of(column.name)
            source = schema.columns[index]
            if not supports_implicit_cast(source.data_type, data_type.with_nullability(True)):
                raise ValidationException(
                    f"Column '{column.name}' of the query is {source.data_type}, which cannot be cast implicitly to {data_type}.",
                    position=position,
                    hint="CAST it in the query",
                )
            expressions.append(cast_to(FieldReferenceExpression(source.name, source.data_type, 0, index), data_type))
        elif data_type.nullable:
            expressions.append(ValueLiteralExpression(None, data_type))
        else:
            raise ValidationException(f"Column '{column.name}' is NOT NULL, so the query must have it.", position=position)
        names.append(column.name)
    return ProjectQueryOperation(tuple(expressions), tuple(names), query)
