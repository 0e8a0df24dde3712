"""CREATE, DROP and ALTER."""

from __future__ import annotations

from table_api.delegation import FoundTable
from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.operations import Operation
from table_api.operations.ddl import (
    AlterTableOperation,
    CreateCatalogOperation,
    CreateDatabaseOperation,
    CreateTableOperation,
    CreateViewOperation,
    DropCatalogOperation,
    DropDatabaseOperation,
    DropTableOperation,
    DropViewOperation,
    RenameTableOperation,
)
from table_api.sql.ast import (
    AlterStatement,
    ColumnDef,
    CreateCatalog,
    CreateDatabase,
    CreateTable,
    CreateView,
    DropStatement,
    Options,
    PrimaryKeyDef,
    RenameTo,
    ResetOptions,
    SetOptions,
)
from table_api.sql.conversion.query import rename
from table_api.sql.conversion.statement import StatementContext, convert
from table_common.catalog import (
    CatalogDatabase,
    CatalogTable,
    CatalogView,
    ObjectIdentifier,
    Schema,
    TableDistribution,
    UnresolvedColumn,
    UnresolvedPrimaryKey,
    UnresolvedWatermark,
)
from table_common.exceptions import TableException, ValidationException

__all__: list[str] = []


@convert.register(CreateTable)
def _create_table(node: CreateTable, context: StatementContext) -> Operation:
    for feature, given in (("LIKE", node.like), ("AS query", node.query), ("OR REPLACE", node.replace or None)):
        if given is not None:
            raise TableException(f"CREATE TABLE with {feature} is not supported in this version.", position=context.position(node.span))
    columns = tuple(_column(column, context) for column in node.columns)
    names = [column.name for column in columns]
    for column in node.columns:
        if names.count(column.name) > 1:
            raise ValidationException(f"Column '{column.name}' is defined twice.", position=context.position(column.span))
    schema = Schema(
        columns,
        tuple(UnresolvedWatermark(".".join(w.column), _source(w.expression, context)) for w in node.watermarks),
        _primary_key(node.primary_key, names, context),
    )
    for key in node.partitioned_by:
        if key not in names:
            raise ValidationException.unknown("Partition column", key, names, where="the table", position=context.position(node.span))
    distribution = None
    if node.distribution is not None:
        distribution = TableDistribution(node.distribution.kind, node.distribution.columns, node.distribution.buckets)
    table = CatalogTable(schema, node.comment, _options(node.options, context, node.span), node.partitioned_by, distribution)
    return CreateTableOperation(context.session.tables.qualify(node.path), table, node.if_not_exists, node.temporary)


def _column(column: ColumnDef, context: StatementContext) -> UnresolvedColumn:
    if column.type is None and column.expression is None:
        raise ValidationException(f"Column '{column.name}' has no type.", position=context.position(column.span))
    data_type = column.type
    if data_type is not None and column.is_primary_key:
        data_type = data_type.not_null()
    return UnresolvedColumn(
        column.name,
        data_type,
        _source(column.expression, context) if column.expression is not None else None,
        column.is_metadata,
        column.metadata_key,
        column.is_virtual,
        column.comment,
    )


def _source(expression: UnresolvedExpression, context: StatementContext) -> str:
    """Returns the text of an expression as written: catalogs store text."""
    assert expression.span is not None
    return context.text[expression.span.start : expression.span.end]


def _primary_key(key: PrimaryKeyDef | None, names: list[str], context: StatementContext) -> UnresolvedPrimaryKey | None:
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


def _options(options: Options, context: StatementContext, span: Span | None) -> dict[str, str]:
    result: dict[str, str] = {}
    for key, value in options:
        if key in result:
            raise ValidationException(f"Option '{key}' is given twice.", position=context.position(span))
        result[key] = value
    return result


@convert.register(CreateView)
def _create_view(node: CreateView, context: StatementContext) -> Operation:
    queries = context.queries()
    operation = queries.convert(node.query)
    if node.columns:
        operation = rename(queries, operation, node.columns, ".".join(node.path), node.span)
    view = CatalogView(
        Schema.new_builder().from_resolved_schema(operation.resolved_schema).build(),
        node.comment,
        {},
        node.query_text,
        _with_full_names(context.text, node.query.span, queries.table_names),
    )
    return CreateViewOperation(context.session.tables.qualify(node.path), view, node.if_not_exists, node.temporary, node.replace)


def _with_full_names(text: str, span: Span | None, names: list[tuple[Span, ObjectIdentifier]]) -> str:
    """Returns the text of a query with every table name replaced by its full identifier."""
    assert span is not None
    result, end = [], span.end
    for name_span, identifier in sorted(set(names), reverse=True):
        result.append(text[name_span.end : end])
        result.append(identifier.as_serializable_string())
        end = name_span.start
    result.append(text[span.start : end])
    return "".join(reversed(result))


@convert.register(CreateCatalog)
def _create_catalog(node: CreateCatalog, context: StatementContext) -> Operation:
    return CreateCatalogOperation(node.name, _options(node.options, context, node.span), node.comment, node.if_not_exists)


@convert.register(CreateDatabase)
def _create_database(node: CreateDatabase, context: StatementContext) -> Operation:
    catalog, database = _database(node.path, context)
    return CreateDatabaseOperation(
        catalog, database, CatalogDatabase(_options(node.options, context, node.span), node.comment), node.if_not_exists
    )


def _database(path: tuple[str, ...], context: StatementContext) -> tuple[str, str]:
    """Returns catalog and database of ``[catalog.]database``."""
    if len(path) > 2:
        raise ValidationException(f"A database has a name of one or two parts, but got {'.'.join(path)}.")
    if len(path) == 2:
        return path[0], path[1]
    return context.session.tables.qualify(("_",)).catalog_name, path[0]


@convert.register(DropStatement)
def _drop(node: DropStatement, context: StatementContext) -> Operation:
    match node.kind:
        case "TABLE":
            return DropTableOperation(context.session.tables.qualify(node.path), node.if_exists, node.temporary)
        case "VIEW":
            return DropViewOperation(context.session.tables.qualify(node.path), node.if_exists, node.temporary)
        case "DATABASE":
            return DropDatabaseOperation(*_database(node.path, context), node.if_exists, node.cascade)
        case "CATALOG":
            return DropCatalogOperation(node.path[0], node.if_exists)
        case kind:
            raise TableException(f"DROP {kind} is not supported in this version.", position=context.position(node.span))


@convert.register(AlterStatement)
def _alter(node: AlterStatement, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path) if node.kind in ("TABLE", "VIEW") else None
    match node.action:
        case RenameTo(path=path) if identifier is not None:
            target = context.session.tables.qualify(path if len(path) > 1 else (*identifier.parts[:2], *path))
            return RenameTableOperation(identifier, target, node.if_exists, node.kind == "VIEW")
        case SetOptions(options=options) if node.kind == "TABLE" and identifier is not None:
            table = _existing(node, context)
            return AlterTableOperation(identifier, table.copy({**table.options, **_options(options, context, node.span)}), node.if_exists)
        case ResetOptions(keys=keys) if node.kind == "TABLE" and identifier is not None:
            table = _existing(node, context)
            return AlterTableOperation(identifier, table.copy({k: v for k, v in table.options.items() if k not in keys}), node.if_exists)
    raise TableException(f"This form of ALTER {node.kind} is not supported in this version.", position=context.position(node.span))


def _existing(node: AlterStatement, context: StatementContext) -> CatalogTable:
    found = context.session.tables.find_table(node.path)
    if found is None:
        raise context.session.tables.table_not_found(node.path, context.position(node.path_span))
    if not isinstance(found, FoundTable):
        raise ValidationException(f"{found.identifier} is a view, not a table.", position=context.position(node.path_span))
    return found.table.origin
