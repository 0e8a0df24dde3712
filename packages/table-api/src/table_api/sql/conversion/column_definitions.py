"""The parts of a table definition: columns, keys, watermarks, distribution."""

from __future__ import annotations

from dataclasses import replace

from table_api.expressions.unresolved import UnresolvedExpression
from table_api.sql.ast import ColumnDef, DistributionDef, PrimaryKeyDef, WatermarkDef
from table_api.sql.conversion.dispatch import StatementContext
from table_common.catalog import Schema, TableDistribution, UnresolvedColumn, UnresolvedPrimaryKey, UnresolvedWatermark
from table_common.exceptions import ValidationException
from table_common.types import parse_logical_type


def unresolved_column(column: ColumnDef, context: StatementContext) -> UnresolvedColumn:
    """Returns a declared column.

    Raises:
        ValidationException: the column has neither a type nor an expression.
    """
    if column.type is None and column.expression is None:
        raise ValidationException(f"Column '{column.name}' has no type.", position=context.position(column.span))
    data_type = column.type
    if data_type is not None and column.is_primary_key:
        data_type = data_type.not_null()
    return UnresolvedColumn(
        column.name,
        data_type,
        source_text(column.expression, context) if column.expression is not None else None,
        column.is_metadata,
        column.metadata_key,
        column.is_virtual,
        column.comment,
    )


def source_text(expression: UnresolvedExpression, context: StatementContext) -> str:
    """Returns the original text of an expression, as catalogs store it."""
    assert expression.span is not None
    return context.text[expression.span.start : expression.span.end]


def primary_key_of(key: PrimaryKeyDef | None, names: list[str], context: StatementContext) -> UnresolvedPrimaryKey | None:
    """Returns a declared primary key; its columns must exist.

    Raises:
        ValidationException: the key is ENFORCED, or one of its columns does not exist.
    """
    if key is None:
        return None
    position = context.position(key.span)
    if key.enforced is not False:
        raise ValidationException(
            "A primary key is not enforced here, since tables do not own their data.",
            position=position,
            hint="write PRIMARY KEY (…) NOT ENFORCED",
        )
    for column in key.columns:
        if column not in names:
            raise ValidationException.unknown("Column", column, names, where="the table", position=position)
    return UnresolvedPrimaryKey(key.name or "PK_" + "_".join(key.columns), key.columns)


def without_primary_key(schema: Schema) -> Schema:
    """Returns a schema without its primary key; the columns of the key stay NOT NULL, as in Flink."""
    key = schema.primary_key
    if key is None:
        return schema
    columns = tuple(_not_null(column) if column.name in key.column_names else column for column in schema.columns)
    return replace(schema, columns=columns, primary_key=None)


def _not_null(column: UnresolvedColumn) -> UnresolvedColumn:
    data_type = column.data_type
    if data_type is None:
        return column
    return replace(column, data_type=(parse_logical_type(data_type) if isinstance(data_type, str) else data_type).not_null())


def watermark_of(watermark: WatermarkDef, context: StatementContext) -> UnresolvedWatermark:
    """Returns a declared watermark."""
    return UnresolvedWatermark(".".join(watermark.column), source_text(watermark.expression, context))


def distribution_of(distribution: DistributionDef | None) -> TableDistribution | None:
    """Returns the declared distribution, or None."""
    if distribution is None:
        return None
    return TableDistribution(distribution.kind, distribution.columns, distribution.buckets)
