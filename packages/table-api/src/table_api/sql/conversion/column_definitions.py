"""The parts of a table definition: columns, keys, watermarks, distribution."""

from __future__ import annotations

from table_api.expressions.unresolved import UnresolvedExpression
from table_api.sql.ast import ColumnDef, DistributionDef, PrimaryKeyDef, WatermarkDef
from table_api.sql.conversion.dispatch import StatementContext
from table_common.catalog import TableDistribution, UnresolvedColumn, UnresolvedPrimaryKey, UnresolvedWatermark
from table_common.exceptions import ValidationException


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


def watermark_of(watermark: WatermarkDef, context: StatementContext) -> UnresolvedWatermark:
    """Returns a declared watermark."""
    return UnresolvedWatermark(".".join(watermark.column), source_text(watermark.expression, context))


def distribution_of(distribution: DistributionDef | None) -> TableDistribution | None:
    """Returns the declared distribution, or None."""
    if distribution is None:
        return None
    return TableDistribution(distribution.kind, distribution.columns, distribution.buckets)
