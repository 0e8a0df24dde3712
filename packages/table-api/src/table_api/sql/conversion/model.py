"""Statements about models."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.operations.ddl import AlterModelOperation, CreateModelOperation, DropModelOperation
from table_api.sql.ast import AlterStatement, ColumnDef, CreateModel, DropStatement, RenameTo, ResetOptions, SetOptions
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.catalog import CatalogModel, ResolvedSchema
from table_common.exceptions import TableException, ValidationException
from table_common.types import LogicalType


@convert.register(CreateModel)
def _create_model(node: CreateModel, context: StatementContext) -> Operation:
    if node.query is not None:
        raise TableException(
            "CREATE MODEL … AS query trains a model, which no engine here does.",
            position=context.position(node.span),
            hint="declare INPUT and OUTPUT of a model that is served elsewhere",
        )
    options = dict(node.options)
    if not options:
        raise ValidationException(
            "A model needs options, at least 'provider'.", position=context.position(node.span), hint="WITH ('provider' = '…')"
        )
    model = CatalogModel(_schema(node.inputs, context), _schema(node.outputs, context), options, node.comment)
    return CreateModelOperation(node.path, model, node.if_not_exists, node.temporary)


def _schema(columns: tuple[ColumnDef, ...], context: StatementContext) -> ResolvedSchema:
    fields: list[tuple[str, LogicalType]] = []
    for column in columns:
        if column.type is None or column.expression is not None or column.is_metadata:
            raise ValidationException(
                f"The column '{column.name}' of a model can only have a name and a type.", position=context.position(column.span)
            )
        if column.name in (name for name, _ in fields):
            raise ValidationException(f"A model has two columns '{column.name}'.", position=context.position(column.span))
        fields.append((column.name, column.type))
    return ResolvedSchema.physical(fields)


def drop_model(node: DropStatement) -> Operation:
    """Returns DROP MODEL."""
    return DropModelOperation(node.path, node.if_exists, node.temporary)


def alter_model(node: AlterStatement, context: StatementContext) -> Operation:
    """Returns ALTER MODEL.

    Raises:
        ValidationException: the model would move to another database.
        TableException: the form of the statement is not supported.
    """
    match node.action:
        case RenameTo(path=path):
            identifier = context.session.tables.qualify(node.path)
            if len(path) > 1 and context.session.tables.qualify(path).parts[:2] != identifier.parts[:2]:
                raise ValidationException("A model can only be renamed within its database.", position=context.position(node.span))
            return AlterModelOperation(node.path, node.if_exists, new_name=path[-1])
        case SetOptions(options=options):
            return AlterModelOperation(node.path, node.if_exists, set=dict(options))
        case ResetOptions(keys=keys):
            return AlterModelOperation(node.path, node.if_exists, reset=tuple(keys))
        case _:
            raise TableException("This form of ALTER MODEL is not supported in this version.", position=context.position(node.span))
