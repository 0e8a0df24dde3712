"""CREATE TABLE: as declared, LIKE another table, or AS a query."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from table_api.delegation import FoundTable
from table_api.operations import Operation
from table_api.operations.ddl import CreateTableOperation
from table_api.sql.ast import ColumnDef, CreateTable, LikeClause
from table_api.sql.conversion.column_definitions import (
    distribution_of,
    primary_key_of,
    unresolved_column,
    watermark_of,
    without_primary_key,
)
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.options import options_of
from table_common.catalog import CatalogTable, Schema, UnresolvedColumn
from table_common.exceptions import TableException, ValidationException
from table_common.types import LogicalType

if TYPE_CHECKING:
    from table_api.operations.ddl import CreateTableAsOperation

_T = TypeVar("_T")


@convert.register(CreateTable)
def _create_table(node: CreateTable, context: StatementContext) -> Operation:
    _refuse_repeated(node.columns, context)
    if node.query is not None:
        return create_table_as(node, context)
    if node.replace or not node.create:
        raise TableException(
            "REPLACE TABLE needs AS and a query.",
            position=context.position(node.span),
            hint="use DROP TABLE and CREATE TABLE for an empty table",
        )
    columns = tuple(unresolved_column(column, context) for column in node.columns)
    table = _table(node, columns, context)
    if node.like is not None:
        table = _merged(table, node.like, context)
    _check_partition_keys(table, node, context)
    return CreateTableOperation(context.session.tables.qualify(node.path), table, node.if_not_exists, node.temporary)


def _refuse_repeated(columns: tuple[ColumnDef, ...], context: StatementContext) -> None:
    uses = Counter(column.name for column in columns)
    for column in columns:
        if uses[column.name] > 1:
            raise ValidationException(f"Column '{column.name}' is defined twice.", position=context.position(column.span))


def _table(node: CreateTable, columns: tuple[UnresolvedColumn, ...], context: StatementContext) -> CatalogTable:
    names = [column.name for column in columns]
    if node.like is not None:
        found = context.session.tables.find_table(node.like.source)
        names += [column.name for column in found.table.origin.schema.columns] if isinstance(found, FoundTable) else []
    schema = Schema(columns, tuple(watermark_of(w, context) for w in node.watermarks), primary_key_of(node.primary_key, names, context))
    options = options_of(node.options, context, node.span)
    return CatalogTable(schema, node.comment, options, node.partitioned_by, distribution_of(node.distribution))


def _check_partition_keys(table: CatalogTable, node: CreateTable, context: StatementContext) -> None:
    names = [column.name for column in table.schema.columns]
    for key in table.partition_keys:
        if key not in names:
            raise ValidationException.unknown("Partition column", key, names, where="the table", position=context.position(node.span))


# --- LIKE -------------------------------------------------------------------------------------------------------------------------

_DEFAULTS = {
    "CONSTRAINTS": "INCLUDING",
    "DISTRIBUTION": "INCLUDING",
    "GENERATED": "INCLUDING",
    "METADATA": "INCLUDING",
    "OPTIONS": "OVERWRITING",
    "PARTITIONS": "INCLUDING",
    "WATERMARKS": "INCLUDING",
}


_OVERWRITABLE = ("GENERATED", "METADATA", "OPTIONS", "WATERMARKS")


def _merged(table: CatalogTable, like: LikeClause, context: StatementContext) -> CatalogTable:
    """Returns the table merged with the parts that LIKE includes from the source table."""
    found = context.session.tables.find_table(like.source)
    if found is None:
        raise context.session.tables.table_not_found(like.source)
    if not isinstance(found, FoundTable):
        raise ValidationException(f"LIKE accepts a table, but {found.identifier} is a view.")
    source, strategies = found.table.origin, _strategies(like)
    if strategies["CONSTRAINTS"] == "EXCLUDING":
        source = replace(source, schema=without_primary_key(source.schema))
    return CatalogTable(
        Schema(
            _merged_columns(source, table, strategies),
            _one_of("WATERMARKS", strategies, source.schema.watermark_specs, table.schema.watermark_specs) or (),
            _one_of("CONSTRAINTS", strategies, source.schema.primary_key, table.schema.primary_key),
        ),
        table.comment,  # the comment of the source table describes that table
        _merged_options(source, table, strategies["OPTIONS"]),
        _new_or_old("PARTITIONS", strategies, source.partition_keys, table.partition_keys) or (),
        _new_or_old("DISTRIBUTION", strategies, source.distribution, table.distribution),
    )


def _strategies(like: LikeClause) -> dict[str, str]:
    features = [option.feature for option in like.options]
    for option in like.options:
        if option.strategy == "OVERWRITING" and option.feature not in _OVERWRITABLE:
            raise ValidationException(f"OVERWRITING {option.feature} is not possible. Accepted: {', '.join(_OVERWRITABLE)}.")
        if features.count(option.feature) > 1:
            raise ValidationException(f"The LIKE clause has more than one option for {option.feature}.")
    everything = next((option.strategy for option in like.options if option.feature == "ALL"), None)
    strategies = {feature: everything or default for feature, default in _DEFAULTS.items()}
    strategies.update({option.feature: option.strategy for option in like.options if option.feature != "ALL"})
    return strategies


def _merged_columns(source: CatalogTable, table: CatalogTable, strategies: dict[str, str]) -> tuple[UnresolvedColumn, ...]:
    columns: dict[str, UnresolvedColumn] = {}
    for column in source.schema.columns:
        feature = "GENERATED" if column.expression is not None else "METADATA" if column.is_metadata else None
        if feature is None or strategies[feature] != "EXCLUDING":
            columns[column.name] = column
    for column in table.schema.columns:
        if column.name in columns:
            feature = "GENERATED" if column.expression is not None else "METADATA" if column.is_metadata else None
            if feature is None or strategies[feature] != "OVERWRITING":
                raise ValidationException(
                    f"Column '{column.name}' exists in the table that LIKE names.",
                    hint="OVERWRITING GENERATED or METADATA replaces computed or metadata columns",
                )
        columns[column.name] = column
    return tuple(columns.values())


def _merged_options(source: CatalogTable, table: CatalogTable, strategy: str) -> dict[str, str]:
    if strategy == "EXCLUDING":
        return dict(table.options)
    both = sorted(set(source.options) & set(table.options))
    if both and strategy == "INCLUDING":
        raise ValidationException(f"Both tables have the options {', '.join(both)}.", hint="OVERWRITING OPTIONS keeps the new ones")
    return {**source.options, **table.options}


def _one_of(feature: str, strategies: dict[str, str], old: _T, new: _T) -> _T:
    if strategies[feature] == "EXCLUDING" or not old:
        return new
    if new and strategies[feature] == "INCLUDING":
        raise ValidationException(f"Both tables have {feature}.", hint=f"EXCLUDING {feature} leaves out those of the table that LIKE names")
    return new or old


def _new_or_old(feature: str, strategies: dict[str, str], old: _T, new: _T) -> _T:
    """Returns the new value, or the old one if the table declares none; as in Flink, also with EXCLUDING, which only permits a new value."""
    if old and new and strategies[feature] != "EXCLUDING":
        raise ValidationException(f"Both tables have {feature}.", hint=f"EXCLUDING {feature} keeps the new ones")
    return new or old


# --- AS query ---------------------------------------------------------------------------------------------------------------------


def create_table_as(node: CreateTable, context: StatementContext) -> CreateTableAsOperation:
    """Returns the operation of CREATE TABLE AS.

    Raises:
        ValidationException: the declared columns do not fit those of the query.
    """
    if node.temporary:
        raise TableException(
            "CREATE TEMPORARY TABLE … AS is not supported: a temporary table does not own data.",
            position=context.position(node.span),
            hint="CREATE TEMPORARY VIEW … AS",
        )
    assert node.query is not None
    query = context.queries().convert(node.query)
    query_types = {column.name: column.data_type for column in query.resolved_schema.columns}
    if node.identifiers_only:
        columns = _reordered(node, query_types, context)
    else:
        declared = {column.name: unresolved_column(column, context) for column in node.columns}
        columns = (*declared.values(), *(UnresolvedColumn(name, t) for name, t in query_types.items() if name not in declared))
    table = _table(node, columns, context)
    _check_partition_keys(table, node, context)
    create = CreateTableOperation(context.session.tables.qualify(node.path), table, node.if_not_exists, is_temporary=False)
    from table_api.operations.ddl import CreateTableAsOperation  # few tables are made of queries
    from table_api.resolution.fitted_query import fitted_to_table

    fitted = fitted_to_table(query, table, context.position(node.span))
    return CreateTableAsOperation(create, fitted, node.replace or not node.create, node.create)


def _reordered(node: CreateTable, query_types: dict[str, LogicalType], context: StatementContext) -> tuple[UnresolvedColumn, ...]:
    names = [column.name for column in node.columns]
    if sorted(names) != sorted(query_types):
        raise ValidationException(
            f"The list of columns must name all columns of the query: {', '.join(query_types)}. It names {', '.join(names)}.",
            position=context.position(node.span),
        )
    return tuple(UnresolvedColumn(name, query_types[name]) for name in names)
