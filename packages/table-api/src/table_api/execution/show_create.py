"""SHOW CREATE: objects as the statements that create them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from table_api.catalog import CatalogDescriptor
from table_api.sql.printed_expression import printed_expression
from table_common.catalog import (
    CatalogMaterializedTable,
    CatalogTable,
    CatalogView,
    Column,
    ComputedColumn,
    LogicalRefreshMode,
    MetadataColumn,
    ObjectIdentifier,
    ResolvedCatalogTable,
    ResolvedSchema,
    Schema,
)
from table_common.expressions import ResolvedExpression
from table_common.secrets import mask_hints, mask_options
from table_common.types import LogicalType, quote_identifier, quote_string


class ExpressionTexts:
    """The computed columns and watermarks of a table as SQL text: as declared, with names in back-ticks."""

    def __init__(self, schema: ResolvedSchema, declared: Schema | None = None) -> None:
        columns = {column.name: column.expression for column in declared.columns} if declared is not None else {}
        specs = {spec.column_name: spec.expression for spec in declared.watermark_specs} if declared is not None else {}
        self.computed = {
            column.name: _source_text(columns.get(column.name), column.expression)
            for column in schema.columns
            if isinstance(column, ComputedColumn) and column.expression is not None
        }
        self.watermarks = {
            spec.rowtime_attribute: _source_text(specs.get(spec.rowtime_attribute), spec.expression) for spec in schema.watermark_specs
        }


def create_table_text(identifier: ObjectIdentifier, table: ResolvedCatalogTable, is_temporary: bool) -> str:
    """Returns ``CREATE TABLE …``; secrets among the options are masked."""
    schema = table.resolved_schema
    texts = ExpressionTexts(schema, table.origin.schema)
    lines = [_column_text(column, texts) for column in schema.columns]
    lines += [f"WATERMARK FOR {quote_identifier(name)} AS {text}" for name, text in texts.watermarks.items()]
    if schema.primary_key is not None:
        lines.append(str(schema.primary_key))
    kind = "MATERIALIZED TABLE" if isinstance(table.origin, CatalogMaterializedTable) else "TABLE"
    text = f"CREATE {'TEMPORARY ' if is_temporary else ''}{kind} {identifier} (\n{_indented(lines)}\n)\n"
    text += _comment(table.comment) + _distribution(table.origin) + _partitions(table.partition_keys) + _with(table.options)
    return text + _refreshed(table.origin) if isinstance(table.origin, CatalogMaterializedTable) else text


def _refreshed(table: CatalogMaterializedTable) -> str:
    mode = table.logical_refresh_mode
    mode_text = f"REFRESH_MODE = {table.refresh_mode.value}\n" if mode is not LogicalRefreshMode.AUTOMATIC else ""
    return f"FRESHNESS = {table.freshness}\n{mode_text}AS {mask_hints(table.definition_query)}\n"


def create_view_text(identifier: ObjectIdentifier, view: CatalogView, schema: ResolvedSchema, is_temporary: bool) -> str:
    """Returns ``CREATE VIEW …`` with all names in its query expanded."""
    columns = _indented(map(quote_identifier, schema.column_names))
    text = f"CREATE {'TEMPORARY ' if is_temporary else ''}VIEW {identifier} (\n{columns}\n)\n"
    return f"{text}{_comment(view.comment)}AS {mask_hints(view.expanded_query)}\n"


def create_catalog_text(name: str, descriptor: CatalogDescriptor) -> str:
    """Returns ``CREATE CATALOG …``; secrets among the options are masked."""
    return f"CREATE CATALOG {quote_identifier(name)}\n{_comment(descriptor.comment)}{_with(descriptor.options)}"


def _source_text(declared: object, resolved: ResolvedExpression) -> str:
    """Returns the declared text as Flink prints it; without a declared text, that of the resolved expression, including casts."""
    if not isinstance(declared, str):
        text = resolved.as_serializable_string()
        return text[1:-1] if text.startswith("(") and text.find(")") == len(text) - 1 else text
    return printed_expression(declared)


def metadata_text(column: MetadataColumn) -> str:
    """Returns ``METADATA [FROM 'key'] [VIRTUAL]``."""
    key = f" FROM {quote_string(column.metadata_key)}" if column.metadata_key is not None else ""
    return f"METADATA{key}{' VIRTUAL' if column.virtual else ''}"


def _column_text(column: Column, texts: ExpressionTexts) -> str:
    name = quote_identifier(column.name)
    if column.name in texts.computed:
        text = f"{name} AS {texts.computed[column.name]}"
    elif isinstance(column, MetadataColumn):
        text = f"{name} {_type_text(column.data_type)} {metadata_text(column)}"
    else:
        text = f"{name} {_type_text(column.data_type)}"
    return text if column.comment is None else f"{text} COMMENT {quote_string(column.comment)}"


def _type_text(data_type: LogicalType) -> str:
    """Returns a type as in Flink's SHOW CREATE: TIMESTAMP_LTZ by its long name."""
    return re.sub(r"\bTIMESTAMP_LTZ\((\d)\)", r"TIMESTAMP(\1) WITH LOCAL TIME ZONE", data_type.serializable())


def _comment(comment: str | None) -> str:
    return f"COMMENT {quote_string(comment)}\n" if comment else ""


def _distribution(table: CatalogTable) -> str:
    distribution = table.distribution
    if distribution is None:
        return ""
    text = "DISTRIBUTED"
    if distribution.columns:
        text += f" BY {distribution.kind or ''}({', '.join(map(quote_identifier, distribution.columns))})"
    if distribution.bucket_count is not None:
        text += f" INTO {distribution.bucket_count} BUCKETS"
    return text + "\n"


def _partitions(keys: tuple[str, ...]) -> str:
    return f"PARTITIONED BY ({', '.join(map(quote_identifier, keys))})\n" if keys else ""


def _with(options: Mapping[str, str]) -> str:
    if not options:
        return ""
    lines = (f"{quote_string(key)} = {quote_string(value)}" for key, value in sorted(mask_options(options).items()))
    return f"WITH (\n{_indented(lines)}\n)\n"


def _indented(lines: Iterable[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)
