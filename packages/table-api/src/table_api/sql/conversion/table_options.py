"""Table settings of a statement: dynamic options in hints, and the columns that ``*`` excludes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Span
from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation, WatermarkQueryOperation
from table_api.sql.ast import Hint
from table_common.catalog import MetadataColumn
from table_common.configuration import ReadableConfig, TableConfigOptions
from table_common.exceptions import SourcePosition, ValidationException


def table_options(
    hints: Sequence[Hint], configuration: ReadableConfig, position_of: Callable[[Span | None], SourcePosition | None]
) -> dict[str, str]:
    """Returns the options that a table gets from its hints, ``t /*+ OPTIONS('key' = 'value') */``.

    Raises:
        ValidationException: such hints are switched off.
    """
    options: dict[str, str] = {}
    for hint in hints:
        if hint.name.upper() != "OPTIONS":
            raise ValidationException.unknown(
                "Hint", hint.name, ["OPTIONS"], where="what may follow a table", position=position_of(hint.span)
            )
        if not configuration.get(TableConfigOptions.TABLE_DYNAMIC_TABLE_OPTIONS_ENABLED):
            raise ValidationException(
                "The hint OPTIONS is switched off.",
                position=position_of(hint.span),
                hint=f"SET '{TableConfigOptions.TABLE_DYNAMIC_TABLE_OPTIONS_ENABLED.key}' = 'true'",
            )
        options |= dict(hint.options)
    return options


def columns_outside_star(scan: QueryOperation, configuration: ReadableConfig) -> frozenset[str]:
    """Returns the columns of a table that ``*`` excludes: virtual metadata columns, if the session's option says so."""
    strategies = configuration.get(TableConfigOptions.TABLE_COLUMN_EXPANSION_STRATEGY)
    source = scan.child if isinstance(scan, ProjectQueryOperation) else scan
    if isinstance(source, WatermarkQueryOperation):
        source = source.child.child if isinstance(source.child, ProjectQueryOperation) else source.child
    if not strategies or not isinstance(source, SourceQueryOperation):
        return frozenset()
    names = set()
    for column in source.table.table.resolved_schema.columns:
        if isinstance(column, MetadataColumn) and column.virtual:
            is_aliased = column.metadata_key not in (None, column.name)
            strategy = "EXCLUDE_ALIASED" if is_aliased else "EXCLUDE_DEFAULT"
            if f"{strategy}_VIRTUAL_METADATA_COLUMNS" in strategies:
                names.add(column.name)
    return frozenset(names)
