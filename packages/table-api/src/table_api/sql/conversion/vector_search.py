"""VECTOR_SEARCH in FROM: ``LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), q.e, 10))``, whose vector can be a column of the left row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Call, QueryArgument, Subquery, SubqueryKind, UnresolvedExpression
from table_api.resolution.call_arguments import constant_options, descriptor_columns
from table_api.resolution.resolver import ExpressionResolver
from table_api.resolution.vector_search import NAME, SIGNATURE, search, search_arguments, searched_scan, top_k_of
from table_api.sql.ast import QueryNode
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import CallExpression

if TYPE_CHECKING:
    from table_api.delegation.session import FunctionLookup
    from table_api.sql.conversion.query_context import FromClause


def is_vector_search(call: UnresolvedExpression, functions: FunctionLookup) -> bool:
    """Returns whether a call in FROM is VECTOR_SEARCH, not a function of the user with that name."""
    return _is_call_of(NAME, call, functions)


def refuse_evaluation(call: UnresolvedExpression, functions: FunctionLookup, position: SourcePosition | None) -> None:
    """Refuses ML_EVALUATE, unless it is a function of the user.

    Raises:
        ValidationException: the call is ML_EVALUATE.
    """
    if _is_call_of("ML_EVALUATE", call, functions):
        raise ValidationException(
            "ML_EVALUATE does not exist, neither in Flink 2.3 nor here.",
            position=position,
            hint="aggregate the predictions: SELECT AVG(CASE WHEN label = answer THEN 1.0 ELSE 0.0 END) FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(text))",
        )


def _is_call_of(name: str, call: UnresolvedExpression, functions: FunctionLookup) -> bool:
    path = call.function if isinstance(call, Call) and isinstance(call.function, tuple) else ()
    return len(path) == 1 and path[0].upper() == name and functions.find_function(path) is None


def convert_vector_search(clause: FromClause, call: UnresolvedExpression, resolver: ExpressionResolver) -> CallExpression:
    """Returns the call of a table function that gives the rows found for a vector.

    Raises:
        ValidationException: an argument is missing, unknown or of the wrong kind.
    """
    assert isinstance(call, Call)
    converter = clause.converter
    position = converter.position
    try:
        given = search_arguments(call.args, position)
    except ValidationException as error:
        raise error.at(position(call.span)) from None
    data = given["search_table"]
    if isinstance(data, Subquery) and data.kind is SubqueryKind.SCALAR:
        data = QueryArgument(data.query, span=data.span)
    if not isinstance(data, QueryArgument) or not isinstance(data.query, QueryNode) or data.partition_by or data.order_by:
        raise ValidationException(
            f"The argument 'search_table' of {NAME} must be a table: TABLE v, without PARTITION BY and ORDER BY.",
            position=position(data.span),
            hint=SIGNATURE,
        )
    scan = searched_scan(converter.nested().convert(data.query), position, data.span)
    columns = descriptor_columns(given["column_to_search"])
    if columns is None or len(columns) != 1:
        raise ValidationException(
            f"The argument 'column_to_search' of {NAME} must name one column of vectors.",
            position=position(given["column_to_search"].span),
            hint="write it as DESCRIPTOR(e)",
        )
    config = constant_options(NAME, given.get("config"), position)
    query = given["column_to_query"]
    top_k = top_k_of(given["top_k"], position)
    return search(converter.session, scan, columns[0], resolver.resolve(query), query.span, top_k, config, position)
