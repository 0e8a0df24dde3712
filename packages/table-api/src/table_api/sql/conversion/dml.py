"""INSERT, statement sets and EXPLAIN."""

from __future__ import annotations

from table_api.operations import Operation, SinkModifyOperation
from table_api.operations.command import (
    CompileAndExecutePlanOperation,
    CompilePlanOperation,
    ExecutePlanOperation,
    ExplainOperation,
    StatementSetOperation,
)
from table_api.resolution.insertion import build_insert
from table_api.resolution.resolver import ExpressionResolver
from table_api.resolution.scope import Scope
from table_api.sql.ast import (
    CompileAndExecutePlan,
    CompilePlan,
    Execute,
    ExecutePlan,
    Explain,
    Insert,
    QueryNode,
    Statement,
    StatementSet,
)
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.table_options import table_options
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import replace


def _insert(node: Insert, context: StatementContext) -> SinkModifyOperation:
    if node.upsert:
        raise TableException(
            "UPSERT INTO is not supported; INSERT INTO a table with a primary key replaces rows.", position=context.position(node.span)
        )
    resolver = ExpressionResolver(context.session, Scope(), context.text, aggregates_refused_in="PARTITION")
    partition: dict[str, ResolvedExpression] = {name: resolver.resolve(value) for name, value in node.partition}
    for column in node.columns:
        if len(column) > 1:
            raise ValidationException(
                f"INSERT writes columns, not fields of rows: {'.'.join(column)}.", position=context.position(node.span)
            )
    insertion = build_insert(
        context.session,
        node.path,
        context.queries().convert(node.query),
        columns=[column[0] for column in node.columns],
        static_partition=partition,
        overwrite=node.overwrite,
        options=table_options(node.hints, context.session.configuration, context.position),
        position=context.position(node.path_span or node.span),
    )
    return insertion if node.on_conflict is None else replace(insertion, on_conflict=node.on_conflict)


convert.register(Insert)(_insert)


@convert.register(StatementSet)
def _statement_set(node: StatementSet, context: StatementContext) -> Operation:
    return StatementSetOperation(tuple(_insert(insert, context) for insert in node.inserts))


@convert.register(Execute)
def _execute(node: Execute, context: StatementContext) -> Operation:
    return _inner(node.statement, context)


@convert.register(CompilePlan)
def _compile_plan(node: CompilePlan, context: StatementContext) -> Operation:
    return CompilePlanOperation(node.file, _inserts(node.statement, context), node.if_not_exists)


@convert.register(CompileAndExecutePlan)
def _compile_and_execute_plan(node: CompileAndExecutePlan, context: StatementContext) -> Operation:
    return CompileAndExecutePlanOperation(node.file, _inserts(node.statement, context))


@convert.register(ExecutePlan)
def _execute_plan(node: ExecutePlan, context: StatementContext) -> Operation:
    return ExecutePlanOperation(node.file)


def _inserts(statement: Insert | StatementSet, context: StatementContext) -> tuple[SinkModifyOperation, ...]:
    inserts = (statement,) if isinstance(statement, Insert) else statement.inserts
    return tuple(_insert(insert, context) for insert in inserts)


@convert.register(Explain)
def _explain(node: Explain, context: StatementContext) -> Operation:
    return ExplainOperation(_inner(node.statement, context), node.details)


def _inner(statement: QueryNode | Statement, context: StatementContext) -> Operation:
    if isinstance(statement, QueryNode):
        return context.queries().convert(statement)
    operation: Operation = convert(statement, context)
    return operation
