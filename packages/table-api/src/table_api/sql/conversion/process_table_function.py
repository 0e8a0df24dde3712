"""Process table functions in FROM: ``f(input => TABLE t PARTITION BY k, arg => 1, on_time => DESCRIPTOR(ts))``, also within TABLE()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Call, QueryArgument, SortKey, Subquery, SubqueryKind, UnresolvedExpression
from table_api.operations import QueryOperation, SortOrder
from table_api.resolution.process_table_function import GivenTable, bind_arguments, describe, process_table_function
from table_api.resolution.scope import Scope
from table_api.sql.ast import QueryNode, Select, TableFunctionRef, TableNameRef
from table_api.sql.conversion.window_table_function import table_column
from table_common.exceptions import ValidationException
from table_common.functions import UserFunction

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause


def convert_process_table_function(clause: FromClause, node: TableFunctionRef, function: UserFunction) -> tuple[QueryOperation, Scope]:
    """Returns the rows of a process table function.

    Raises:
        ValidationException: an argument is missing, unknown or of the wrong kind.
    """
    assert isinstance(node.call, Call)
    converter = clause.converter
    position = converter.position
    given = bind_arguments(function, node.call.args, position, node.call.span)
    assert function.process is not None
    table_names = {argument.name for argument in function.process.tables}
    tables: dict[str, GivenTable] = {}
    for name in list(given):
        table = _table(clause, given[name], function, name, is_required=name in table_names)
        if table is not None:
            tables[name] = table
            del given[name]
    resolver = converter.builder.resolver(Scope(), aggregates_refused_in=f"an argument of {function.name}")
    operation = process_table_function(converter.session, function, tables, given, resolver.resolve, position)
    return clause.named(node, operation, ())


def _table(clause: FromClause, value: UnresolvedExpression, function: UserFunction, name: str, *, is_required: bool) -> GivenTable | None:
    converter = clause.converter
    if is_required and isinstance(value, Subquery) and value.kind is SubqueryKind.SCALAR:
        value = QueryArgument(value.query, span=value.span)
    if not isinstance(value, QueryArgument) or not isinstance(value.query, QueryNode):
        if not is_required:
            return None
        raise ValidationException(
            f"The argument '{name}' of {function.name} must be a table: TABLE t, or a query in parentheses.",
            position=converter.position(value.span),
            hint=describe(function),
        )
    child = converter.nested().convert(value.query)
    converter.written.require_different(child, f"the table '{name}' of {function.name}", converter.position(value.span))
    query = value.query
    path = query.source.path if isinstance(query, Select) and isinstance(query.source, TableNameRef) else ()
    scope = Scope.of(child.resolved_schema, path, names=converter.written.of(child))
    partition_by = tuple(table_column(clause, scope, key, "PARTITION BY") for key in value.partition_by)
    return GivenTable(child, partition_by, tuple(_order(clause, scope, key) for key in value.order_by), value.span)


def _order(clause: FromClause, scope: Scope, key: SortKey) -> SortOrder:
    nulls_first = key.ascending if key.nulls_first is None else key.nulls_first
    return SortOrder(table_column(clause, scope, key.expression, "ORDER BY"), key.ascending, nulls_first)
