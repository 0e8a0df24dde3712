"""CREATE, DROP and ALTER."""

from __future__ import annotations

from table_api.delegation import FoundTable
from table_api.operations import Operation
from table_api.operations.ddl import (
    AlterDatabaseOperation,
    AlterTableOperation,
    AlterViewOperation,
    CreateCatalogOperation,
    CreateDatabaseOperation,
    CreateViewOperation,
    DropCatalogOperation,
    DropDatabaseOperation,
    DropMaterializedTableOperation,
    DropTableOperation,
    DropViewOperation,
    RenameTableOperation,
)
from table_api.sql.ast import (
    AddPartitions,
    AlterStatement,
    ChangeFunction,
    ChangeQuery,
    CreateCatalog,
    CreateDatabase,
    CreateView,
    DropPartitions,
    DropStatement,
    QueryNode,
    RenameTo,
    ResetOptions,
    SetOptions,
)
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.options import options_of
from table_api.sql.conversion.query_context import rename
from table_api.sql.conversion.refused import refuse_kind
from table_common.catalog import (
    CatalogDatabase,
    CatalogMaterializedTable,
    CatalogTable,
    CatalogView,
    Schema,
)
from table_common.exceptions import TableException, ValidationException


@convert.register(CreateView)
def _create_view(node: CreateView, context: StatementContext) -> Operation:
    view = _view_of(node.query, node.query_text, node.columns, node.comment, node, context)
    return CreateViewOperation(context.session.tables.qualify(node.path), view, node.if_not_exists, node.temporary, node.replace)


def _view_of(
    query: QueryNode,
    query_text: str,
    columns: tuple[str, ...],
    comment: str | None,
    node: CreateView | AlterStatement,
    context: StatementContext,
) -> CatalogView:
    from table_api.sql.conversion.view import stored_query

    queries = context.queries()
    plain = operation = queries.convert(query)
    if columns:
        operation = rename(queries, operation, columns, ".".join(node.path), node.span)
    else:
        queries.written.require_different(operation, f"view '{'.'.join(node.path)}'", context.position(query.span))
    schema = Schema.new_builder().from_resolved_schema(operation.resolved_schema).build()
    return CatalogView(schema, comment, {}, query_text, stored_query(query, plain, queries, context))


@convert.register(CreateCatalog)
def _create_catalog(node: CreateCatalog, context: StatementContext) -> Operation:
    return CreateCatalogOperation(node.name, options_of(node.options, context, node.span), node.comment, node.if_not_exists)


@convert.register(CreateDatabase)
def _create_database(node: CreateDatabase, context: StatementContext) -> Operation:
    catalog, database = _database(node.path, context)
    return CreateDatabaseOperation(
        catalog, database, CatalogDatabase(options_of(node.options, context, node.span), node.comment), node.if_not_exists
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
    refuse_kind(node, context)
    from table_api.sql.conversion.function import drop_function  # few statements need it
    from table_api.sql.conversion.model import drop_model  # few statements need it

    match node.kind:
        case "TABLE":
            return DropTableOperation(context.session.tables.qualify(node.path), node.if_exists, node.temporary)
        case "VIEW":
            return DropViewOperation(context.session.tables.qualify(node.path), node.if_exists, node.temporary)
        case "DATABASE":
            return DropDatabaseOperation(*_database(node.path, context), node.if_exists, node.cascade)
        case "CATALOG":
            return DropCatalogOperation(node.path[0], node.if_exists)
        case "FUNCTION":
            return drop_function(node, context)
        case "MODEL":
            return drop_model(node)
        case "MATERIALIZED TABLE":
            return DropMaterializedTableOperation(context.session.tables.qualify(node.path), node.if_exists)
        case kind:
            raise TableException(f"DROP {kind} is not supported in this version.", position=context.position(node.span))


@convert.register(AlterStatement)
def _alter(node: AlterStatement, context: StatementContext) -> Operation:
    refuse_kind(node, context)
    from table_api.sql.conversion.alter_catalog import alter_catalog  # few statements need it
    from table_api.sql.conversion.function import alter_function  # few statements need it
    from table_api.sql.conversion.model import alter_model  # few statements need it

    match node.kind:
        case "TABLE":
            return _alter_table(node, context)
        case "VIEW":
            return _alter_view(node, context)
        case "CATALOG":
            return alter_catalog(node, context)
        case "DATABASE" if isinstance(node.action, SetOptions):
            return AlterDatabaseOperation(
                *_database(node.path, context), CatalogDatabase(options_of(node.action.options, context, node.span))
            )
        case "FUNCTION" if isinstance(node.action, ChangeFunction):
            return alter_function(node, node.action, context)
        case "MODEL":
            return alter_model(node, context)
        case "MATERIALIZED TABLE":
            from table_api.sql.conversion.materialized_table import alter_materialized_table  # few statements need it

            return alter_materialized_table(node, context)
        case _:
            raise _unsupported(node, context)


def _alter_table(node: AlterStatement, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path)
    action = node.action
    found = context.session.tables.find_table(node.path)
    if isinstance(found, FoundTable) and isinstance(found.table.origin, CatalogMaterializedTable):
        raise ValidationException(
            f"{identifier} is a materialized table, not a table.",
            position=context.position(node.path_span),
            hint="ALTER MATERIALIZED TABLE",
        )
    if isinstance(action, RenameTo):
        return _rename(node, action, context)
    if isinstance(action, AddPartitions | DropPartitions):
        from table_api.sql.conversion.partition import alter_partitions  # few statements need it

        return alter_partitions(node, action, context)
    if found is None:
        if node.if_exists:
            return AlterTableOperation(identifier, CatalogTable(Schema()), ignore_if_not_exists=True)
        raise context.session.tables.table_not_found(node.path, context.position(node.path_span))
    if not isinstance(found, FoundTable):
        raise ValidationException(
            f"{found.identifier} is a view, not a table.", position=context.position(node.path_span), hint="ALTER VIEW"
        )
    table = found.table.origin
    changed: CatalogTable | None
    from table_api.sql.conversion.alter_table import altered_table  # few statements need it

    match action:
        case SetOptions(options=options):
            changed = table.copy({**table.options, **options_of(options, context, node.span)})
        case ResetOptions(keys=keys):
            if "connector" in keys:
                raise ValidationException("The option 'connector' cannot be reset.", position=context.position(node.span))
            changed = table.copy({key: value for key, value in table.options.items() if key not in keys})
        case _:
            changed = altered_table(table, action, context)
    if changed is None:
        raise _unsupported(node, context)
    return AlterTableOperation(identifier, changed, node.if_exists, table)


def _alter_view(node: AlterStatement, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path)
    if isinstance(node.action, RenameTo):
        return _rename(node, node.action, context)
    if not isinstance(node.action, ChangeQuery):
        raise _unsupported(node, context)
    found = context.session.tables.find_table(node.path)
    if isinstance(found, FoundTable):
        raise ValidationException(
            f"{found.identifier} is a table, not a view.", position=context.position(node.path_span), hint="ALTER TABLE"
        )
    view = _view_of(node.action.query, node.action.query_text, (), None, node, context)
    return AlterViewOperation(identifier, view, node.if_exists)


def _rename(node: AlterStatement, action: RenameTo, context: StatementContext) -> Operation:
    identifier = context.session.tables.qualify(node.path)
    target = context.session.tables.qualify(action.path if len(action.path) > 1 else (*identifier.parts[:2], *action.path))
    return RenameTableOperation(identifier, target, node.if_exists, node.kind == "VIEW")


def _unsupported(node: AlterStatement, context: StatementContext) -> TableException:
    return TableException(f"This form of ALTER {node.kind} is not supported in this version.", position=context.position(node.span))
