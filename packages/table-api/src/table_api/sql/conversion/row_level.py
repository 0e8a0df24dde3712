"""DELETE, UPDATE and TRUNCATE TABLE: the changed rows are a query over the table."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import FoundTable
from table_api.expressions.unresolved import Alias, Call, Literal, Span, Star, TypeLiteral, UnresolvedExpression
from table_api.operations import ContextResolvedTable, Operation, ProjectQueryOperation, QueryOperation
from table_api.operations.ddl.truncate_table import TruncateTableOperation
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.resolution.casting import cast_to
from table_api.resolution.insertion import refuse_materialized
from table_api.sql.ast import Assignment, Delete, Select, TableNameRef, TruncateTable, Update
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_common.catalog import Column
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional, conversion, logic
from table_common.types import BooleanType, NullType, supports_implicit_cast

_HIT = "$changes"


@convert.register(TruncateTable)
def _truncate(node: TruncateTable, context: StatementContext) -> Operation:
    _check_mode("TRUNCATE TABLE", context, node.span)
    return TruncateTableOperation(_table(node.path, "TRUNCATE TABLE takes", context, node.path_span or node.span))


@convert.register(Delete)
def _delete(node: Delete, context: StatementContext) -> Operation:
    _check_mode("DELETE", context, node.span)
    table = _table(node.path, "Rows are deleted from", context, node.path_span or node.span)
    stays = _call(logic.IS_NOT_TRUE, node.where) if node.where is not None else Literal(False, BooleanType(nullable=False))
    matching = _rows(node, (Star(),), node.where, context)
    return DeleteOperation(table, matching, _rows(node, (Star(),), stays, context))


@convert.register(Update)
def _update(node: Update, context: StatementContext) -> Operation:
    _check_mode("UPDATE", context, node.span)
    table = _table(node.path, "Rows are updated in", context, node.path_span or node.span)
    targets = _targets(node.assignments, table, context)
    new = [Alias(assignment.expression, f"$set{i}", span=assignment.span) for i, assignment in enumerate(node.assignments)]
    matching = _cast(_rows(node, (Star(), *new), node.where, context), targets, node.assignments, context)
    hit: UnresolvedExpression = Literal(True, BooleanType(nullable=False))
    if node.where is not None:
        hit = _call(logic.IS_TRUE, node.where)
        # The new values are computed only for rows that match, so that other rows cannot fail.
        typed = [
            _call(conversion.CAST, item.expression, TypeLiteral(c.data_type.with_nullability(True)))
            for item, c in zip(new, targets, strict=True)
        ]
        guarded = [_call(conditional.CASE, hit, value, Literal(None, NullType())) for value in typed]
        new = [Alias(value, item.name, span=item.span) for value, item in zip(guarded, new, strict=True)]
    all_rows = _cast(_rows(node, (Star(), *new, Alias(hit, _HIT)), None, context), targets, node.assignments, context)
    return UpdateOperation(table, tuple(column.name for column in targets), matching, all_rows)


def _check_mode(statement: str, context: StatementContext, span: Span | None) -> None:
    if context.session.is_streaming_mode:
        raise TableException(
            f"{statement} runs in batch mode only.", position=context.position(span), hint="EnvironmentSettings.in_batch_mode()"
        )


def _table(path: tuple[str, ...], what: str, context: StatementContext, span: Span | None) -> ContextResolvedTable:
    position = context.position(span)
    found = context.session.tables.find_table(path)
    if found is None:
        raise context.session.tables.table_not_found(path, position)
    if not isinstance(found, FoundTable):
        raise ValidationException(f"{what} tables, but {found.identifier} is a view.", position=position)
    refuse_materialized(found, position)
    return ContextResolvedTable(found.identifier, found.table, found.is_temporary)


def _rows(
    node: Delete | Update, projection: tuple[UnresolvedExpression, ...], where: UnresolvedExpression | None, context: StatementContext
) -> QueryOperation:
    source = TableNameRef(node.path, path_span=node.path_span, span=node.span, alias=node.alias)
    return context.queries().convert(Select(projection, source, where, span=node.span))


def _call(function: FunctionDefinition, *args: UnresolvedExpression) -> UnresolvedExpression:
    return Call(function, args, span=args[0].span)


def _targets(assignments: Sequence[Assignment], table: ContextResolvedTable, context: StatementContext) -> list[Column]:
    columns = {column.name: column for column in table.table.resolved_schema.columns}
    targets: list[Column] = []
    for assignment in assignments:
        position = context.position(assignment.span)
        if len(assignment.column) > 1:
            raise ValidationException(
                f"UPDATE sets columns, not fields of rows: {'.'.join(assignment.column)}.", position=position, hint="SET r = ROW(…)"
            )
        (name,) = assignment.column
        if name not in columns:
            raise ValidationException.unknown("Column", name, columns, where=str(table.identifier), position=position)
        column = columns[name]
        if not column.is_persisted():
            raise ValidationException(f"Column '{name}' of {table.identifier} is computed, so UPDATE cannot set it.", position=position)
        if column in targets:
            raise ValidationException(f"UPDATE sets column '{name}' twice.", position=position)
        targets.append(column)
    return targets


def _cast(query: QueryOperation, targets: Sequence[Column], assignments: Sequence[Assignment], context: StatementContext) -> QueryOperation:
    """Returns the query with its new values, which follow the table's columns, cast to the types of their columns."""
    columns = query.resolved_schema.columns
    first = next(i for i, column in enumerate(columns) if column.name == "$set0")
    expressions: list[ResolvedExpression] = []
    for position, column in enumerate(columns):
        value: ResolvedExpression = FieldReferenceExpression(column.name, column.data_type, 0, position)
        number = position - first
        if 0 <= number < len(targets):
            target = targets[number]
            if not supports_implicit_cast(column.data_type, target.data_type.with_nullability(True)):
                raise ValidationException(
                    f"Column '{target.name}' is {target.data_type}, to which a value of type {column.data_type} cannot be cast implicitly.",
                    position=context.position(assignments[number].span),
                    hint=f"SET {target.name} = CAST(… AS {target.data_type})",
                )
            value = cast_to(value, target.data_type.with_nullability(True))
        expressions.append(value)
    return ProjectQueryOperation(tuple(expressions), query.resolved_schema.column_names, query)
