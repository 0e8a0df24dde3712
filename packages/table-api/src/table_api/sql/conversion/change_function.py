"""TO_CHANGELOG and FROM_CHANGELOG in FROM: ``TO_CHANGELOG(input => TABLE t, op => DESCRIPTOR(change))``, also within TABLE()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Call, QueryArgument, Subquery, SubqueryKind
from table_api.operations import QueryOperation
from table_api.resolution.scope import Scope
from table_api.sql.ast import QueryNode, TableFunctionRef
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause


def convert_change_function(clause: FromClause, node: TableFunctionRef, name: str) -> tuple[QueryOperation, Scope]:
    """Returns the changes of the input table as rows (TO_CHANGELOG), or its rows as changes (FROM_CHANGELOG).

    Raises:
        ValidationException: an argument is missing, unknown, or of the wrong kind.
        TableException: the session is in batch mode.
    """
    from table_api.resolution.change_functions import change_arguments, change_function

    assert isinstance(node.call, Call)
    converter = clause.converter
    position = converter.position
    arguments = change_arguments(name, node.call.args, position)
    data = arguments.get("input")
    if isinstance(data, Subquery) and data.kind is SubqueryKind.SCALAR:
        data = QueryArgument(data.query, span=data.span)
    if not isinstance(data, QueryArgument) or not isinstance(data.query, QueryNode):
        raise ValidationException(
            f"The argument 'input' of {name} must be a table: TABLE t, or a query in parentheses.",
            position=position(data.span if data is not None else node.call.span),
        )
    if data.partition_by or data.order_by:
        what = "PARTITION BY" if data.partition_by else "ORDER BY"
        raise ValidationException(
            f"The table of {name} does not accept {what}: each row is treated alone, in the order of the table.",
            position=position(data.span),
        )
    child = converter.nested().convert(data.query)
    converter.written.require_different(child, f"the table of {name}", position(data.span))
    operation = change_function(name, converter.session, child, arguments, position)
    return clause.named(node, operation, ())
